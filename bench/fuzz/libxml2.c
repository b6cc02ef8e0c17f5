/* libxml2.c: harness of libxml2's parser: a document from memory, with its own entities and DTD, written again.
 *
 * Nothing is fetched, and what it complains about is not printed. */
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlsave.h>
#include <stdint.h>

static void quiet(void *ctx, const char *text, ...)
{
	(void)ctx, (void)text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xmlDocPtr doc;
	xmlChar *text = NULL;
	int length;

	if (size > 1 << 20)
		return 0;
	xmlSetGenericErrorFunc(NULL, quiet);
	doc = xmlReadMemory((const char *)data, (int)size, "input.xml", NULL, XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_DTDVALID | XML_PARSE_RECOVER);
	if (doc) {
		xmlDocDumpMemory(doc, &text, &length);
		xmlFree(text);
		xmlFreeDoc(doc);
	}
	xmlResetLastError();
	return 0;
}
