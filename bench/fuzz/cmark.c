/* cmark.c: harness of cmark: a document in CommonMark to every format it can write. */
#include <cmark.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int options = CMARK_OPT_SMART | CMARK_OPT_SOURCEPOS | CMARK_OPT_VALIDATE_UTF8;
	cmark_node *doc = cmark_parse_document((const char *)data, size, options);

	free(cmark_render_commonmark(doc, options, 80));
	free(cmark_render_html(doc, options));
	free(cmark_render_latex(doc, options, 80));
	free(cmark_render_man(doc, options, 80));
	free(cmark_render_xml(doc, options));
	cmark_node_free(doc);
	return 0;
}
