import { copyFile, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundle, root } from '../../packages/cli/build/bundle.ts'
import { writeByContent } from '../../packages/cli/build/by-content.ts'
import preparePage from './page.ts'

const FOLDER = join(root, '.cache', 'command')

/**
 * Bundles the command like the published package, once for the whole run, because a bundle starts in half the
 * time that hundreds of source files take. Tests find it through `PANOPTES_TEST_COMMAND`. Without that variable, for example
 * in watch mode, tests start the command from source.
 */
export default async function prepareCommand(project: TestProject): Promise<void> {
  await preparePage()
  if (project.vitest.config.watch || process.env.PANOPTES_TEST_COMMAND !== undefined) return
  await mkdir(FOLDER, { recursive: true })
  const { files } = await bundle(FOLDER, false)
  const folder = await writeByContent(FOLDER, files)
  for (const script of ['panoptes-hook.sh', 'panoptes-template.sh']) {
    await copyFile(join(root, 'hooks', script), join(folder, script))
  }
  await symlink(join(root, 'packages', 'web', 'dist'), join(folder, 'page')).catch(unlessThere)
  process.env.PANOPTES_TEST_COMMAND = join(folder, 'panoptes.js')
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
