// The types of the packed client. Its records derive from the declarations of libs/records, which bots do not have: each
// becomes a plain interface, with the description of each member as its comment.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';

/** Modules that only declare fields. */
const declaring = /^(@libs\/records|\.\/members)$/;

/**
 * Writes the declaration files of the client's index and of all that it imports.
 * @throws Error if the client has type errors, or if a type would refer to a declaration of fields
 */
export async function writeClientTypes(folder, outDir) {
  const fields = await declaredFields(folder);
  const config = ts.getParsedCommandLineOfConfigFile(
    join(folder, 'tsconfig.build.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic) => fail([diagnostic]) },
  );
  const program = ts.createProgram(config.fileNames, config.options);
  fail(ts.getPreEmitDiagnostics(program));
  const printer = (context) => (file) => plainRecords(file, context, program.getTypeChecker(), fields);
  const left = [join(folder, 'src/index.ts')];
  for (const path of left) {
    const file = program.getSourceFile(path);
    const write = (_name, text) => {
      if (/@libs\/|\bRecordOf</.test(text))
        throw new Error(`the types of ${path} refer to a library of this repository`);
      mkdirSync(outDir, { recursive: true });
      writeFileSync(join(outDir, basename(path).replace(/\.ts$/, '.d.ts')), text);
      for (const { fileName } of ts.preProcessFile(text).importedFiles) {
        const next = join(dirname(path), `${fileName}.ts`);
        if (fileName.startsWith('.') && !left.includes(next)) left.push(next);
      }
    };
    fail(program.emit(file, write, undefined, true, { afterDeclarations: [printer] }).diagnostics);
  }
}

/** All declared records of the libraries and of the client, by the name of their constant. */
async function declaredFields(folder) {
  const { outputFiles } = await build({
    stdin: { contents: `export * from '@libs/records'; export * from './members';`, resolveDir: join(folder, 'src') },
    ...{ bundle: true, write: false, format: 'esm', platform: 'node', tsconfig: join(folder, 'tsconfig.build.json') },
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

function plainRecords(file, context, checker, fields) {
  const { factory } = context;
  const visit = (node) => {
    if (ts.isImportDeclaration(node) && declaring.test(node.moduleSpecifier.text)) return undefined;
    if (!ts.isTypeAliasDeclaration(node)) return node;
    const declared = declaredBy(ts.getOriginalNode(node));
    return declared === null ? node : interfaceOf(node, fields[declared]);
  };
  /** The name of the constant whose fields a type derives from; null if it derives from none. */
  const declaredBy = (node) => {
    if (ts.isTypeQueryNode(node)) return node.exprName.text;
    return ts.forEachChild(node, declaredBy) ?? null;
  };
  const interfaceOf = (alias, declaration) => {
    const type = checker.getTypeAtLocation(ts.getOriginalNode(alias).name);
    const order = Object.keys(declaration);
    const members = checker
      .getPropertiesOfType(type)
      .toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
      // A member that the type adds to the declared ones has its own comment.
      .map((member) => memberOf(member, declaration[member.name] ?? commentOf(member)));
    return factory.createInterfaceDeclaration(alias.modifiers, alias.name, undefined, undefined, members);
  };
  const commentOf = (member) => ({ description: ts.displayPartsToString(member.getDocumentationComment(checker)) });
  const memberOf = (member, { description }) => {
    const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
    const type = checker.typeToTypeNode(checker.getTypeOfSymbol(member), undefined, ts.NodeBuilderFlags.NoTruncation);
    const present = ts.isUnionTypeNode(type)
      ? factory.createUnionTypeNode(type.types.filter(({ kind }) => kind !== ts.SyntaxKind.UndefinedKeyword))
      : type;
    const signature = factory.createPropertySignature(
      [factory.createModifier(ts.SyntaxKind.ReadonlyKeyword)],
      member.name,
      isOptional ? factory.createToken(ts.SyntaxKind.QuestionToken) : undefined,
      present,
    );
    if (description === null) return signature;
    return ts.addSyntheticLeadingComment(signature, ts.SyntaxKind.MultiLineCommentTrivia, `* ${description} `, true);
  };
  return ts.visitEachChild(file, visit, context);
}

function fail(diagnostics) {
  if (diagnostics.length === 0) return;
  throw new Error(diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')).join('\n'));
}
