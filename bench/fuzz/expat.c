/* expat.c: harness of expat: a document in one piece, with the handlers that a reader of XML has.
 *
 * The salt of its hash tables is fixed: with a random one no run could be repeated. */
#include "expat.h"

#include <stdint.h>
#include <stddef.h>

static size_t seen;

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
	(void)user, (void)name;
	for (; *attributes; attributes += 2)
		seen++;
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
	(void)user, (void)name;
	seen++;
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
	(void)user, (void)text;
	seen += (size_t)length;
}

static void XMLCALL on_instruction(void *user, const XML_Char *target, const XML_Char *data)
{
	(void)user, (void)target, (void)data;
	seen++;
}

static void XMLCALL on_comment(void *user, const XML_Char *data)
{
	(void)user, (void)data;
	seen++;
}

static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system, const XML_Char *public, int internal)
{
	(void)user, (void)name, (void)system, (void)public, (void)internal;
	seen++;
}

static void XMLCALL on_entity(void *user, const XML_Char *name, int parameter, const XML_Char *value, int length,
			      const XML_Char *base, const XML_Char *system, const XML_Char *public, const XML_Char *notation)
{
	(void)user, (void)name, (void)parameter, (void)value, (void)length, (void)base;
	(void)system, (void)public, (void)notation;
	seen++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	XML_Parser parser = XML_ParserCreate(NULL);

	if (!parser || size > 1 << 20) {
		XML_ParserFree(parser);
		return 0;
	}
	XML_SetHashSalt(parser, 0x5eed);
	XML_SetElementHandler(parser, on_start, on_end);
	XML_SetCharacterDataHandler(parser, on_text);
	XML_SetProcessingInstructionHandler(parser, on_instruction);
	XML_SetCommentHandler(parser, on_comment);
	XML_SetStartDoctypeDeclHandler(parser, on_doctype);
	XML_SetEntityDeclHandler(parser, on_entity);
	XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_UNLESS_STANDALONE);
	XML_Parse(parser, (const char *)data, (int)size, 1);
	XML_GetErrorCode(parser);
	XML_ParserFree(parser);
	return 0;
}
