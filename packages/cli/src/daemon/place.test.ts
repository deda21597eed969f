import { resolvePaths } from '@panoptes/engine/home'
import { config } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { CommandFailure, EXIT } from '../failure.ts'
import { busOf, placeOf } from './place.ts'

const paths = resolvePaths({ PANOPTES_HOME: '/srv/p' })
const home = (env: NodeJS.ProcessEnv = {}) => ({ env, paths })
const ofFile = config.parse({ team: { ledger: 'postgres://file/x', bus: 'nats://file', space: 'red' } })
const plain = config.parse({})

function refusal(work: () => unknown): CommandFailure {
  try {
    work()
  } catch (error) {
    if (error instanceof CommandFailure) return error
  }
  throw new Error('it was not refused')
}

describe('the location of the store', () => {
  it('is a file in the home by default', () => {
    expect(placeOf(home(), plain)).toEqual({ kind: 'sqlite', file: paths.store })
    expect(placeOf(home({ PANOPTES_LEDGER: '' }), plain)).toEqual({ kind: 'sqlite', file: paths.store })
  })

  it('comes from the command line, then the environment, then config.yaml', () => {
    const env = { PANOPTES_LEDGER: 'postgres://env/x', PANOPTES_BUS: 'nats://env' }
    const at = (url: string) => ({ kind: 'postgres', url, space: 'red' })
    expect(placeOf(home(env), ofFile, 'postgres://typed/x')).toEqual(at('postgres://typed/x'))
    expect(placeOf(home(env), ofFile)).toEqual(at('postgres://env/x'))
    expect(placeOf(home(), ofFile)).toEqual(at('postgres://file/x'))
    expect(busOf(home(env), ofFile, 'nats://typed')).toBe('nats://typed')
    expect(busOf(home(env), ofFile)).toBe('nats://env')
    expect(busOf(home(), ofFile)).toBe('nats://file')
    expect(busOf(home(), plain)).toBeNull()
  })

  it('rejects an invalid address without repeating it', () => {
    const wrong = 'mysql://me:secret@db/x'
    for (const asked of [
      () => placeOf(home(), plain, wrong),
      () => placeOf(home({ PANOPTES_LEDGER: wrong }), plain),
      () => busOf(home(), plain, wrong),
      () => busOf(home({ PANOPTES_BUS: wrong }), plain),
    ]) {
      const { message, next, exit } = refusal(asked)
      expect(message).toContain('must be an address such as')
      expect(`${message} ${next}`).not.toContain('secret')
      expect(exit).toBe(EXIT.usage)
    }
  })
})
