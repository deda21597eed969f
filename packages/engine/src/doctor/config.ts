import { existsSync } from 'node:fs'
import { isConfigPending, readConfig } from '@panoptes/engine/home'
import { type Check, failed, ok, warning } from './check.ts'

export const configCheck: Check = {
  id: 'config',
  title: 'Settings',
  run: async ({ paths }) => {
    const read = await readConfig(paths)
    if (!read.ok) return failed(paths.config, read.message, 'Correct it, then run: panoptes config check')
    if (!existsSync(paths.config)) return ok(`${paths.config} is not there; the defaults hold`)
    if (await isConfigPending(paths))
      return warning(
        paths.config,
        'It changed since Panoptes started, which goes on with what it read then',
        'Start it again with: panoptes stop && panoptes up',
      )
    return ok(`${paths.config}, no mistakes`)
  },
}
