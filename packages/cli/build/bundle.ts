import { join, resolve } from 'node:path'
import { build } from 'esbuild'

const cli = resolve(import.meta.dirname, '..')
export const root = resolve(cli, '..', '..')

/** Some dependencies are CommonJS and call `require`, which an ES module does not have. */
const REQUIRE =
  "import { createRequire as panoptesRequire } from 'node:module'; const require = panoptesRequire(import.meta.url);"

/** The command and its threads as they are published, in a folder. */
export const bundle = (outdir: string) =>
  build({
    absWorkingDir: root,
    entryPoints: [
      { in: join(cli, 'src', 'main.ts'), out: 'panoptes' },
      { in: join(root, 'packages', 'engine', 'src', 'ledger', 'sqlite', 'worker.ts'), out: 'ledger-worker' },
      { in: join(root, 'packages', 'engine', 'src', 'sessions', 'worker.ts'), out: 'sessions-worker' },
    ],
    outdir,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    banner: { js: REQUIRE },
    metafile: true,
    logLevel: 'warning',
  })
