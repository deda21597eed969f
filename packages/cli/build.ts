import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { bundle, root } from './build/bundle.ts'
import { writeLicences } from './build/licences.ts'
import { preparePage } from './src/page/index.ts'
import { size } from './src/terminal/format.ts'

const here = import.meta.dirname
const dist = join(here, 'dist')

const PAPERS = ['README.md', 'LICENSE', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs']

const page = await preparePage((line) => console.log(line))
if (page.folder === null || page.problem !== null) {
  console.error(`The page does not build: ${page.problem}`)
  process.exit(1)
}

await rm(dist, { recursive: true, force: true })
await mkdir(dist, { recursive: true })
const { metafile } = await bundle(dist)
await cp(page.folder, join(dist, 'page'), { recursive: true })
for (const script of ['panoptes-hook.sh', 'panoptes-template.sh']) {
  await cp(join(root, 'hooks', script), join(dist, script))
}
await writeLicences(root, metafile, join(dist, 'licences.txt'))
// The README links to these files, so the package includes them.
for (const paper of PAPERS) {
  await rm(join(here, paper), { recursive: true, force: true })
  await cp(join(root, paper), join(here, paper), { recursive: true })
}

const parts = Object.values(metafile.outputs)
console.log(`dist  ${parts.length} files, ${size(parts.reduce((sum, { bytes }) => sum + bytes, 0))}`)
