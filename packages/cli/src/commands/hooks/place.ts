import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The script as it is shipped: beside the bundle in a package, in `hooks` of a clone. */
export function shippedScript(here: string = import.meta.dirname): string {
  const beside = join(here, 'panoptes-hook.sh')
  return existsSync(beside)
    ? beside
    : resolve(here, '..', '..', '..', '..', '..', 'hooks', 'panoptes-hook.sh')
}
