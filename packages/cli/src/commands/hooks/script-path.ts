import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Finds a shipped script: next to the bundle in a package, in `hooks` of a clone. */
function findShippedFile(name: string, here: string): string {
  const beside = join(here, name)
  return existsSync(beside) ? beside : resolve(here, '..', '..', '..', '..', '..', 'hooks', name)
}

/** The script of event hooks. */
export const shippedScript = (here: string = import.meta.dirname): string =>
  findShippedFile('panoptes-hook.sh', here)

/** The script of the template hook. */
export const shippedTemplateScript = (here: string = import.meta.dirname): string =>
  findShippedFile('panoptes-template.sh', here)
