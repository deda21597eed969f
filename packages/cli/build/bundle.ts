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

/** In parts that are read when they are needed: a command of one line does not wait for what a daemon has. */
export const whole = {
  ...asPublished,
  entryPoints: [command, ...threads],
  splitting: true,
} satisfies BuildOptions

/** The command and its threads as they are published, in a folder. */
export const bundle = (outdir: string) => build({ ...whole, outdir, metafile: true })
