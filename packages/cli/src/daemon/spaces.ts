import { join } from 'node:path'
import { pause } from '@panoptes/engine/abortable'
import { makeFolder, type Paths, resolvePaths } from '@panoptes/engine/home'
import type { Team } from '@panoptes/engine/store'
import type { RunningHub } from '@panoptes/server'
import type { Logger } from 'pino'
import { closed, type OpenedSite } from './site.ts'

const LOOK_MS = 3_000
/** The number of spaces to open in parallel. A rebuild takes long, and other spaces must not wait for it. */
const AT_ONCE = 4

interface Parts {
  readonly team: Pick<Team, 'spaces'>
  readonly hub: Pick<RunningHub, 'addSpace' | 'removeSpace'>
  /** The home space of the hub, which already has a site. */
  readonly home: string
  readonly open: (space: string) => Promise<OpenedSite>
  readonly log: Logger
}

export interface Spaces {
  /** The names of spaces that are served, being opened or still closing. */
  readonly names: () => readonly string[]
  /** Checks the list of spaces now, because there may be a new one. */
  readonly look: () => void
  /** Stops following and returns the open sites, which the caller closes after the server. */
  readonly stop: () => Promise<readonly OpenedSite[]>
}

/**
 * Opens a site for every space of a team, closes the sites of removed spaces, and retries sites that failed
 * to open.
 */
export function followSpaces({ team, hub, home, open, log }: Parts): Spaces {
  /** The creation time distinguishes a space from a later one with the same name. */
  const sites = new Map<string, { readonly site: OpenedSite; readonly since: number }>()
  const end = new AbortController()
  let woken = new AbortController()
  const serve = async (space: string, since: number): Promise<void> => {
    const site = await open(space)
    const added = await hub.addSpace(space, site.options)
    if (added.ok) {
      site.begin(added.value)
      sites.set(space, { site, since })
      log.info({ space }, 'serving a space')
      return
    }
    await closed(site)
    throw new Error(added.message)
  }
  const wanted = new Map<string, number>()
  const opening = new Map<string, Promise<void>>()
  const openSome = (): void => {
    for (const [name, since] of wanted) {
      if (opening.size >= AT_ONCE || end.signal.aborted) return
      wanted.delete(name)
      const opened = serve(name, since)
        .catch((error: unknown) =>
          log.warn(`space ${name}: ${error instanceof Error ? error.message : String(error)}`),
        )
        .then(() => {
          opening.delete(name)
          openSome()
        })
      opening.set(name, opened)
    }
  }
  const leaving = new Map<string, Promise<void>>()
  const leave = async (space: string, site: OpenedSite): Promise<void> => {
    try {
      await site.quiet()
      await hub.removeSpace(space)
      await site.end()
      await site.close()
      log.info({ space }, 'space removed')
    } catch (error) {
      log.warn(`space ${space}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const held = (): readonly string[] => [home, ...sites.keys(), ...opening.keys(), ...leaving.keys()]
  const follow = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const found = await team.spaces()
      if (found.ok) {
        const there = new Map(found.value.map(({ name, created_at: since }) => [name, since]))
        for (const [name, { site, since }] of sites) {
          if (there.get(name) === since) continue
          sites.delete(name)
          const left = leave(name, site).then(() => {
            leaving.delete(name)
            // A new space with the same name may be waiting.
            woken.abort()
          })
          leaving.set(name, left)
        }
        wanted.clear()
        const taken = new Set(held())
        for (const [name, since] of there) if (!taken.has(name)) wanted.set(name, since)
      }
      openSome()
      await pause(LOOK_MS, AbortSignal.any([end.signal, woken.signal]))
      woken = new AbortController()
    }
  }
  const following = follow()
  return {
    names: () => [...new Set(held())],
    look: () => woken.abort(),
    stop: async () => {
      end.abort()
      await following
      await Promise.all([...opening.values(), ...leaving.values()])
      return [...sites.values()].map(({ site }) => site)
    },
  }
}

/** Creates the folder for the files of a space other than the hub's own. */
export async function pathsOfSpace({ home }: Paths, space: string): Promise<Paths> {
  const paths = resolvePaths({ PANOPTES_HOME: join(home, 'spaces', space) })
  await makeFolder(paths.home)
  return paths
}
