import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { config } from '@panoptes/schema'
import { generateHermesState } from '../../../../../fixtures/hermes/generator/index.ts'
import type { Context } from '../../context.ts'
import { type Panoptes, startPanoptes } from '../../daemon/start.ts'

const FIXTURES = fileURLToPath(new URL('../../../../../fixtures/hermes/', import.meta.url))

export const fixture = (name: string): string => join(FIXTURES, name)

interface Made {
  readonly sessions: number
  readonly messages: number
  readonly seed: number
}

/** Creates a database like that of Hermes. The same numbers always create the same content. */
export function makeDatabase(file: string, { sessions, messages, seed }: Made): string {
  mkdirSync(dirname(file), { recursive: true })
  generateHermesState({ file, sessions, messages, seed })
  return file
}

/** Runs Panoptes in the home of a command. */
export const runDaemon = ({ paths, env }: Context): Promise<Panoptes> =>
  startPanoptes({
    paths,
    env,
    config: config.parse({}),
    host: '127.0.0.1',
    port: 0,
    allowRemote: false,
    page: Promise.resolve({ folder: null, problem: null }),
    onStop: () => undefined,
  })
