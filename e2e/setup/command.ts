import { copyFile, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundle, root } from '../../packages/cli/build/bundle.ts'
import { writeByContent } from '../../packages/cli/build/by-content.ts'
import preparePage from './page.ts'

const FOLDER = join(root, '.cache', 'command')

/**
 * Bundles the command as it is published, once for the whole run: it starts in half the time of its hundreds of
 * sources. The tests are told of it by `PANOPTES_TEST_COMMAND`; without that, as in a run that watches and in which
 * the sources may change, they start the sources.
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
