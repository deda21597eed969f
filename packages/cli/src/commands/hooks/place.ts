import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A script as it is shipped: beside the bundle in a package, in `hooks` of a clone. */
function shipped(name: string, here: string): string {
  const beside = join(here, name)
  return existsSync(beside) ? beside : resolve(here, '..', '..', '..', '..', '..', 'hooks', name)
}

/** What hooks run that tell what happens. */
export const shippedScript = (here: string = import.meta.dirname): string => shipped('panoptes-hook.sh', here)

/** What the hook runs that asks for a template. */
export const shippedTemplateScript = (here: string = import.meta.dirname): string =>
  shipped('panoptes-template.sh', here)
