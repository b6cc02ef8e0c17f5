/* clang.h: libclang, loaded when first asked for. Inside src/front only.
 *
 *	const struct clang *c = clang_load();
 *	c->getCursorKind(cursor)      is     clang_getCursorKind(cursor)
 */
#ifndef MUSTER_FRONT_CLANG_H
#define MUSTER_FRONT_CLANG_H

#include <clang-c/Index.h>

/* Every function of libclang that the front calls. */
#define CLANG_FUNCTIONS(X)              \
	X(createIndex)                  \
	X(disposeIndex)                 \
	X(toggleCrashRecovery)          \
	X(parseTranslationUnit2)        \
	X(disposeTranslationUnit)       \
	X(getTranslationUnitCursor)     \
	X(getNumDiagnostics)            \
	X(getDiagnostic)                \
	X(disposeDiagnostic)            \
	X(getDiagnosticSeverity)        \
	X(getDiagnosticSpelling)        \
	X(getDiagnosticLocation)        \
	X(getCString)                   \
	X(disposeString)                \
	X(getPresumedLocation)          \
	X(Location_isInSystemHeader)    \
	X(getRangeEnd)                  \
	X(visitChildren)                \
	X(getCursorKind)                \
	X(getCursorType)                \
	X(getCursorSpelling)            \
	X(getCursorLocation)            \
	X(getCursorExtent)              \
	X(getCursorReferenced)          \
	X(getCursorDefinition)          \
	X(getCursorSemanticParent)      \
	X(isCursorDefinition)           \
	X(getCursorLinkage)             \
	X(getCursorTLSKind)             \
	X(getCursorResultType)          \
	X(getCursorBinaryOperatorKind)  \
	X(getCursorUnaryOperatorKind)   \
	X(getCursorPrintingPolicy)      \
	X(getCursorPrettyPrinted)       \
	X(PrintingPolicy_setProperty)   \
	X(PrintingPolicy_dispose)       \
	X(Cursor_hasAttrs)              \
	X(Cursor_isVariadic)            \
	X(Cursor_isFunctionInlined)     \
	X(Cursor_isBitField)            \
	X(Cursor_getStorageClass)       \
	X(Cursor_getVarDeclInitializer) \
	X(Cursor_getNumArguments)       \
	X(Cursor_getArgument)           \
	X(Cursor_getOffsetOfField)      \
	X(Cursor_isNull)                \
	X(getFieldDeclBitWidth)         \
	X(getEnumConstantDeclValue)     \
	X(getEnumDeclIntegerType)       \
	X(getTypeSpelling)              \
	X(getTypeDeclaration)           \
	X(getTypedefDeclUnderlyingType) \
	X(getCanonicalType)             \
	X(getUnqualifiedType)           \
	X(getPointeeType)               \
	X(getResultType)                \
	X(getNumArgTypes)               \
	X(getArgType)                   \
	X(getArrayElementType)          \
	X(getArraySize)                 \
	X(isConstQualifiedType)         \
	X(isVolatileQualifiedType)      \
	X(isFunctionTypeVariadic)       \
	X(Type_getNamedType)            \
	X(Type_getModifiedType)         \
	X(Type_getValueType)            \
	X(Type_getNullability)          \
	X(Type_getSizeOf)               \
	X(Type_getAlignOf)              \
	X(Type_visitFields)             \
	X(getSpellingLocation)          \
	X(getRangeStart)                \
	X(getCanonicalCursor)           \
	X(Cursor_Evaluate)              \
	X(EvalResult_getKind)           \
	X(EvalResult_isUnsignedInt)     \
	X(EvalResult_getAsUnsigned)     \
	X(EvalResult_getAsLongLong)     \
	X(EvalResult_dispose)

struct clang {
#define X(name) __typeof__(clang_##name) *name;
	CLANG_FUNCTIONS(X)
#undef X
};

/* NULL with words that say what to install. */
const struct clang *clang_load(void);

#endif
