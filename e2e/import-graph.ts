import { relative, resolve } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './command.ts'

/**
 * Everything that a source file imports, by workspace, module or npm package: `schema`, `engine/store`, `npm:zod`,
 * `node:fs`.
 */
export async function reach(entry: string): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    outdir: '.cache/reach',
    logLevel: 'silent',
    jsx: 'automatic',
    loader: { '.css': 'empty', '.svg': 'empty', '.woff2': 'empty', '.png': 'empty' },
    // Only the imports of a workspace count, not those inside of its dependencies.
    plugins: [
      {
        name: 'stop-at-npm',
        setup: ({ onResolve }) => {
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
            if (kind === 'entry-point' || path.startsWith('@panoptes/')) return undefined
            return { path: path.startsWith('node:') ? path : `npm:${packageOf(path)}`, external: true }
          })
        },
      },
    ],
  })
  const files = Object.keys(metafile.inputs).map((path) => moduleName(relative(ROOT, resolve(ROOT, path))))
  const outside = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  )
  return new Set([...files, ...outside])
}

const packageOf = (path: string): string => path.split('/', path.startsWith('@') ? 2 : 1).join('/')

/**
 * The module of a file: `packages/engine/src/store/port.ts` is in `engine/store`; in other workspaces the workspace
 * is the module.
 */
function moduleName(path: string): string {
  const [top, workspace = '', , module = ''] = path.split('/')
  if (top !== 'packages') return path
  return workspace === 'engine' ? `engine/${module}` : workspace
}
