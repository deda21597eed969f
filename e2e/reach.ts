import { relative, resolve } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './command.ts'

/** Everything a source file pulls in, as its workspace or npm package: `schema`, `engine/ledger`, `npm:zod`, `node:fs`. */
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
    // Only what a workspace imports is of interest, not what its dependencies do inside.
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
  const files = Object.keys(metafile.inputs).map((path) => roomOf(relative(ROOT, resolve(ROOT, path))))
  const outside = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  )
  return new Set([...files, ...outside])
}

const packageOf = (path: string): string => path.split('/', path.startsWith('@') ? 2 : 1).join('/')

/** `packages/engine/src/ledger/port.ts` is in the room `engine/ledger`; elsewhere the workspace is the room. */
function roomOf(path: string): string {
  const [top, workspace = '', , room = ''] = path.split('/')
  if (top !== 'packages') return path
  return workspace === 'engine' ? `engine/${room}` : workspace
}
