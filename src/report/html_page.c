/* html_page.c: the frame of every page of the HTML report: head, policy, style, script.
 *
 * Nothing is loaded from elsewhere, and the policy lets no script run but the one with the page's own nonce: text of a program cannot know it. */
#include "report/html_parts.h"

#include "base/file.h"
#include "report/html_style.h"
#include "report/xml.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static void navigation(const struct formats_input *in, struct buf *out)
{
	buf_adds(out, "<nav aria-label=\"pages\"><a href=\"index.html\">overview</a>");
	if (in->annotations)
		buf_adds(out, " <a href=\"tests.html\">tests</a>");
	if (in->diff)
		buf_adds(out, " <a href=\"diff.html\">last diff</a>");
	if (in->validate)
		buf_adds(out, " <a href=\"validate.html\">last validate</a>");
	buf_adds(out, "</nav>\n");
}

void html_begin(const struct pages *p, struct buf *out, const char *title, int home, char nonce[33])
{
	unsigned char bytes[16] = {0};

	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		memset(bytes, 0, sizeof bytes); /* then no script runs: see html_end */
	for (int i = 0; i < 16; i++)
		for (int k = 0; k < 2; k++)
			nonce[2 * i + k] = "0123456789abcdef"[k ? bytes[i] & 15 : bytes[i] >> 4];
	nonce[32] = 0;
	buf_adds(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; script-src ");
	buf_addf(out, "'nonce-%s'\">\n<title>", nonce);
	xml_text(out, title);
	buf_addf(out, "</title>\n<style>%s</style></head><body>\n", html_style);
	if (!home)
		navigation(p->in, out);
	buf_adds(out, "<main><h1>");
	xml_text(out, title);
	buf_adds(out, "</h1>\n");
}

int html_end(const char *directory, struct buf *out, const char *nonce, const char *name)
{
	int known = strspn(nonce, "0") < 32;

	buf_adds(out, "</main>\n");
	if (known)
		buf_addf(out, "<script nonce=\"%s\">%s</script>\n", nonce, html_script);
	buf_adds(out, "</body></html>\n");
	char *path = file_join(directory, name);
	int e = file_write_atomic(path, out->data, out->size);

	free(path);
	buf_release(out);
	return e;
}

