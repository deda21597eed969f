import { join, resolve } from 'node:path'
import { type BuildOptions, build } from 'esbuild'

const cli = resolve(import.meta.dirname, '..')
export const root = resolve(cli, '..', '..')

/** Some dependencies are CommonJS and call `require`, which an ES module does not have. */
const REQUIRE =
  "import { createRequire as panoptesRequire } from 'node:module'; const require = panoptesRequire(import.meta.url);"

const command = { in: join(cli, 'src', 'main.ts'), out: 'panoptes' }

/** The worker scripts are next to the file that starts them and have these names. */
export const threads = [
  { in: join(root, 'packages', 'engine', 'src', 'store', 'sqlite', 'worker.ts'), out: 'store-worker' },
  { in: join(root, 'packages', 'engine', 'src', 'sessions', 'worker.ts'), out: 'sessions-worker' },
  {
    in: join(root, 'packages', 'engine', 'src', 'achievements', 'worker.ts'),
    out: 'achievements-worker',
  },
  {
    in: join(root, 'packages', 'engine', 'src', 'achievements', 'hermes-worker.ts'),
    out: 'achievements-hermes-worker',
  },
  { in: join(root, 'packages', 'engine', 'src', 'outcomes', 'worker.ts'), out: 'outcomes-worker' },
  { in: join(root, 'packages', 'engine', 'src', 'knowledge', 'worker.ts'), out: 'knowledge-worker' },
  { in: join(root, 'packages', 'engine', 'src', 'sources', 'uploader', 'worker.ts'), out: 'uploader-worker' },
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
 * Bundles the command and its worker threads for publishing. The command is split into chunks that load on demand, so that
 * a short command does not load the code of the daemon. Each thread is one file that contains only what it needs.
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
