import { cp, mkdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { writeLicences } from './build/licences.ts'
import { preparePage } from './src/page/index.ts'
import { size } from './src/terminal/words.ts'

const here = import.meta.dirname
const root = resolve(here, '..', '..')
const dist = join(here, 'dist')

/** Some dependencies are CommonJS and call `require`, which an ES module does not have. */
const REQUIRE =
  "import { createRequire as panoptesRequire } from 'node:module'; const require = panoptesRequire(import.meta.url);"

const PAPERS = ['README.md', 'LICENSE', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs']

const page = await preparePage((line) => console.log(line))
if (page.folder === null || page.problem !== null) {
  console.error(`The page does not build: ${page.problem}`)
  process.exit(1)
}

await rm(dist, { recursive: true, force: true })
await mkdir(dist, { recursive: true })
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [
    { in: join(here, 'src', 'main.ts'), out: 'panoptes' },
    { in: join(root, 'packages', 'engine', 'src', 'ledger', 'sqlite', 'worker.ts'), out: 'ledger-worker' },
    { in: join(root, 'packages', 'engine', 'src', 'sessions', 'worker.ts'), out: 'sessions-worker' },
  ],
  outdir: dist,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  banner: { js: REQUIRE },
  metafile: true,
  logLevel: 'warning',
})
await cp(page.folder, join(dist, 'page'), { recursive: true })
await cp(join(root, 'hooks', 'panoptes-hook.sh'), join(dist, 'panoptes-hook.sh'))
await writeLicences(root, metafile, join(dist, 'licences.txt'))
// The README leads to these, so they go where it goes.
for (const paper of PAPERS) {
  await rm(join(here, paper), { recursive: true, force: true })
  await cp(join(root, paper), join(here, paper), { recursive: true })
}

for (const file of ['panoptes.js', 'ledger-worker.js', 'sessions-worker.js']) {
  console.log(`dist/${file}  ${size((await stat(join(dist, file))).size)}`)
}
