import { join } from 'node:path'
import { spawnCommand } from './command.ts'

/** Starts a command that runs until it is stopped, and prints its process id. */
const folder = process.argv[2] ?? ''
const home = { folder, panoptes: join(folder, '.panoptes'), remove: async () => undefined }
process.send?.(spawnCommand(home, ['demo', '--speed', '1', '--events', '100000']).pid)
