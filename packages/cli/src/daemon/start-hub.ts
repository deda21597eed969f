import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Bus } from '@panoptes/engine/bus'
import { openTeamSettings, type TeamSettings } from '@panoptes/engine/moa'
import {
  type EventStore,
  keepBeating,
  openHubs,
  openTeam,
  type StoreLocation,
  type Team,
} from '@panoptes/engine/store'
import { type HttpServerOptions, type RunningHub, type RunningServer, startHub } from '@panoptes/server'
import { CommandFailure, orFail, toCommandFailure } from '../failure.ts'
import type { PreparedPage } from '../page/index.ts'
import { VERSION } from '../version.ts'
import { childrenEnv } from './children.ts'
import type { Log } from './log.ts'
import { configOfSpace, environmentOfSpace } from './of-space.ts'
import { wayOut } from './place.ts'
import { portTaken } from './port.ts'
import { closed, openSite } from './site.ts'
import { followSpaces, pathsOfSpace, type Spaces } from './spaces.ts'
import type { StartOptions } from './start-options.ts'

interface HubStart extends StartOptions {
  readonly place: StoreLocation & { readonly kind: 'postgres' }
}

/** The parts of a running server. */
export interface Serving {
  readonly server: Pick<RunningServer, 'port' | 'address' | 'link'>
  readonly store: EventStore
  readonly bus: Bus | undefined
  readonly close: () => Promise<void>
}

interface Parts {
  readonly page: PreparedPage
  readonly log: Log
}

/** Starts a hub of a team with a site for each space. Any number of hubs can serve the same team. */
export async function startTeamHub(
  options: HubStart,
  front: HttpServerOptions,
  parts: Parts,
): Promise<Serving> {
  const { place } = options
  const team = orFail(await openTeam({ url: place.url }), wayOut(place))
  let settings: TeamSettings | undefined
  try {
    await orNoSpace(team, place.space)
    settings = orFail(await openTeamSettings(team), wayOut(place))
    return await serve(options, front, { ...parts, settings }, team)
  } catch (error) {
    settings?.stop()
    await team.close()
    throw error
  }
}

async function serve(
  options: HubStart,
  front: HttpServerOptions,
  parts: Parts & { readonly settings: TeamSettings },
  team: Team,
): Promise<Serving> {
  const { place, paths, config, env } = options
  let spaces: Spaces | undefined
  const started = await startHub({ ...front, team, env, onSpace: () => spaces?.look() })
  if (!started.ok)
    throw (await portTaken(options.host, options.port, options.command)) ?? toCommandFailure(started)
  const hub = started.value
  try {
    const wish = {
      ...options,
      ...parts,
      env: childrenEnv(env, config),
      onlyPosted: options.onlyPosted === true,
    }
    const home = await openSite({ ...wish, isOfHome: true })
    const added = await hub.addSpace(place.space, home.options)
    if (!added.ok) {
      await closed(home)
      throw toCommandFailure(added)
    }
    home.begin(added.value)
    spaces = followSpaces({
      team,
      hub,
      home: place.space,
      log: parts.log.logger,
      open: async (space) => {
        const own = await pathsOfSpace(paths, space)
        return openSite({
          ...wish,
          paths: own,
          env: environmentOfSpace(wish.env, own),
          keys: wish.env,
          config: configOfSpace(config),
          place: { ...place, space },
          isOfHome: false,
        })
      },
    })
    const beating = await beat(options, hub, spaces)
    return {
      server: { port: hub.port, address: hub.address, link: added.value.link },
      store: home.store,
      bus: home.options.bus,
      close: async () => {
        parts.settings.stop()
        const others = (await spaces?.stop()) ?? []
        const sites = [home, ...others]
        await Promise.all(sites.map((site) => site.quiet()))
        await Promise.all([...sites.map((site) => site.end()), hub.close(), beating.stop()])
        await Promise.all(sites.map((site) => site.close()))
        await team.close()
      },
    }
  } catch (error) {
    await hub.close()
    throw error
  }
}

/**
 * Reports regularly that this hub is alive, so that `doctor --team` can list it. If this fails, the hub still
 * works.
 */
async function beat(
  { place, bus }: HubStart,
  { listens: address }: RunningHub,
  spaces: Spaces,
): Promise<{ readonly stop: () => Promise<void> }> {
  const opened = await openHubs(place.url)
  if (!opened.ok) return { stop: async () => undefined }
  const end = new AbortController()
  const about = { id: randomUUID(), host: hostname(), pid: process.pid, version: VERSION, address }
  const beating = keepBeating(
    opened.value,
    () => ({ ...about, bus: typeof bus === 'string', spaces: spaces.names() }),
    end.signal,
  )
  return {
    stop: async () => {
      end.abort()
      await beating
      await opened.value.close()
    },
  }
}

async function orNoSpace(team: Team, space: string): Promise<void> {
  const found = orFail(await team.spaces())
  if (found.some(({ name }) => name === space)) return
  const names = found.map(({ name }) => name).join(', ')
  throw new CommandFailure(`No space is named "${space}"; available: ${names}`, {
    code: 'not_found',
    next: `Create it with: panoptes team spaces add ${space}. Or set team.space in config.yaml to another space.`,
  })
}
