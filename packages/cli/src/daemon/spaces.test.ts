import { success } from '@panoptes/schema'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import type { OpenedSite } from './site.ts'
import { followSpaces, type Spaces } from './spaces.ts'

let spaces: Spaces | undefined
let served: string[] = []
afterEach(async () => {
  await spaces?.stop()
  served = []
})

const NAMES = ['main', 'a', 'b', 'c', 'd', 'e', 'f']
const site = (space: string) =>
  ({ options: { space }, begin: () => undefined, close: async () => undefined }) as unknown as OpenedSite

function follow(open: (space: string) => Promise<OpenedSite>): Spaces {
  spaces = followSpaces({
    team: { spaces: async () => success(NAMES.map((name) => ({ name, created_at: 0 }))) },
    hub: {
      addSpace: async (space) => {
        served.push(space)
        return success({} as never)
      },
      removeSpace: async () => undefined,
    },
    home: 'main',
    open,
    log: pino({ level: 'silent' }),
  })
  return spaces
}

describe('the spaces of a team', () => {
  it('are opened four at a time, so that a slow one does not block the others', async () => {
    const rebuilt = Promise.withResolvers<void>()
    let now = 0
    let most = 0
    const following = follow(async (space) => {
      now += 1
      most = Math.max(most, now)
      await (space === 'a' ? rebuilt.promise : new Promise((wait) => setTimeout(wait, 20)))
      now -= 1
      return site(space)
    })
    await expect.poll(() => served.toSorted()).toEqual(['b', 'c', 'd', 'e', 'f'])
    expect(most).toBe(4)
    rebuilt.resolve()
    await expect.poll(() => served.at(-1)).toBe('a')
    expect(following.names().toSorted()).toEqual(NAMES.toSorted())
  })

  it('do not block each other if some fail to open, and are retried', async () => {
    let tries = 0
    const following = follow(async (space) => {
      if (!'abcd'.includes(space)) return site(space)
      tries += 1
      if (tries <= 4) throw new Error('it is locked')
      return site(space)
    })
    await expect.poll(() => following.names().toSorted()).toEqual(['e', 'f', 'main'])
    following.look()
    await expect.poll(() => following.names().toSorted()).toEqual(NAMES.toSorted())
    expect(tries).toBe(8)
  })

  it('are returned by stop even if they are still being opened', async () => {
    const begun = Promise.withResolvers<void>()
    const opened = Promise.withResolvers<void>()
    const following = follow(async (space) => {
      begun.resolve()
      await opened.promise
      return site(space)
    })
    await begun.promise
    const stopped = following.stop()
    opened.resolve()
    expect(await stopped).toHaveLength(4)
  })

  it('are listed until they are closed, and a slow close does not delay the opening of others', async () => {
    const opened = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    let names = ['main', 'a']
    const begun: string[] = []
    const slow = (space: string) =>
      ({
        ...site(space),
        quiet: async () => undefined,
        end: () => (space === 'a' ? ended.promise : undefined),
      }) as unknown as OpenedSite
    spaces = followSpaces({
      team: { spaces: async () => success(names.map((name) => ({ name, created_at: 0 }))) },
      hub: {
        addSpace: async (space) => {
          served.push(space)
          return success({} as never)
        },
        removeSpace: async (space) => void served.splice(served.indexOf(space), 1),
      },
      home: 'main',
      open: async (space) => {
        begun.push(space)
        if (space === 'a') await opened.promise
        return slow(space)
      },
      log: pino({ level: 'silent' }),
    })
    await expect.poll(() => begun).toEqual(['a'])
    names = ['main']
    spaces.look()
    expect(spaces.names()).toEqual(['main', 'a'])
    opened.resolve()
    await expect.poll(() => served).toEqual(['a'])
    spaces.look()
    await expect.poll(() => served).toEqual([])
    names = ['main', 'a', 'b']
    spaces.look()
    await expect.poll(() => served).toEqual(['b'])
    expect(spaces.names().toSorted()).toEqual(['a', 'b', 'main'])
    expect(begun).toEqual(['a', 'b'])
    names = ['main', 'b']
    spaces.look()
    ended.resolve()
    await expect.poll(() => spaces?.names()).toEqual(['main', 'b'])
  })

  it('are closed when they are removed, and opened again when the name returns', async () => {
    const told: string[] = []
    let names = ['main', 'a', 'b']
    let since = 0
    const own = (space: string) =>
      Object.fromEntries(
        ['begin', 'quiet', 'end', 'close'].map((name) => [
          name,
          async () => void told.push(`${name} ${space}`),
        ]),
      )
    spaces = followSpaces({
      team: {
        spaces: async () => success(names.map((name) => ({ name, created_at: name === 'a' ? since : 0 }))),
      },
      hub: {
        addSpace: async () => success({} as never),
        removeSpace: async (space) => void told.push(`removed ${space}`),
      },
      home: 'main',
      open: async (space) => ({ options: {}, ...own(space) }) as unknown as OpenedSite,
      log: pino({ level: 'silent' }),
    })
    await expect.poll(() => spaces?.names().toSorted()).toEqual(['a', 'b', 'main'])
    told.length = 0
    // The home space of the hub stays open even if the team no longer lists it.
    names = ['b']
    spaces.look()
    await expect.poll(() => told).toEqual(['quiet a', 'removed a', 'end a', 'close a'])
    expect(spaces.names()).toEqual(['main', 'b'])
    names = ['main', 'a', 'b']
    spaces.look()
    await expect.poll(() => spaces?.names().toSorted()).toEqual(['a', 'b', 'main'])
    // A space that was deleted and created again between two looks is a different space.
    told.length = 0
    since = 1
    spaces.look()
    await expect.poll(() => told).toEqual(['quiet a', 'removed a', 'end a', 'close a', 'begin a'])
  })
})
