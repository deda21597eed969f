import { join, resolve } from 'node:path'
import { type BuildOptions, build } from 'esbuild'

const cli = resolve(import.meta.dirname, '..')
export const root = resolve(cli, '..', '..')

/** Some dependencies are CommonJS and call `require`, which an ES module does not have. */
const REQUIRE =
  "import { createRequire as panoptesRequire } from 'node:module'; const require = panoptesRequire(import.meta.url);"

const command = { in: join(cli, 'src', 'main.ts'), out: 'panoptes' }

/** The threads lie beside whatever starts them, under these names. */
export const threads = [
  { in: join(root, 'packages', 'engine', 'src', 'ledger', 'sqlite', 'worker.ts'), out: 'ledger-worker' },
  { in: join(root, 'packages', 'engine', 'src', 'sessions', 'worker.ts'), out: 'sessions-worker' },
  {
    in: join(root, 'packages', 'engine', 'src', 'achievements', 'worker.ts'),
    out: 'achievements-worker',
  },
  {
    in: join(root, 'packages', 'engine', 'src', 'achievements', 'hermes-worker.ts'),
    out: 'achievements-hermes-worker',
  },
  { in: join(root, 'packages', 'engine', 'src', 'review', 'worker.ts'), out: 'review-worker' },
  { in: join(root, 'packages', 'engine', 'src', 'knowledge', 'worker.ts'), out: 'knowledge-worker' },
  { in: join(root, 'packages', 'engine', 'src', 'sources', 'copy', 'worker.ts'), out: 'copy-worker' },
]

export const asPublished = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  banner: { js: REQUIRE },
  logLevel: 'warning',
} satisfies BuildOptions

/**
 * The command and its threads as they are published. The command is in parts that are read when they are needed, so that
 * one line of an answer does not wait for what a daemon has; a thread has what it needs and nothing else in one file.
 */
export async function bundle(outdir: string, write = true) {
  const options = { ...asPublished, outdir, write, metafile: true } as const
  const [parts, each] = await Promise.all([
    build({ ...options, entryPoints: [command], splitting: true }),
    build({ ...options, entryPoints: threads }),
  ])
  return {
    files: [...(parts.outputFiles ?? []), ...(each.outputFiles ?? [])],
    metafile: {
      inputs: { ...parts.metafile.inputs, ...each.metafile.inputs },
      outputs: { ...parts.metafile.outputs, ...each.metafile.outputs },
    },
  }
}
