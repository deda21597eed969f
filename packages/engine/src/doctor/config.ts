import { existsSync } from 'node:fs'
import { readConfig } from '@panoptes/engine/home'
import { type Check, failed, ok } from './check.ts'

export const configCheck: Check = {
  id: 'config',
  title: 'Settings',
  run: async ({ paths }) => {
    const read = await readConfig(paths)
    if (!read.ok) return failed(paths.config, read.message, 'Correct it, then run: panoptes config check')
    if (!existsSync(paths.config)) return ok(`${paths.config} is not there; the defaults hold`)
    return ok(`${paths.config}, no mistakes`)
  },
}
