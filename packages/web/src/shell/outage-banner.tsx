import type { HubPart } from '@panoptes/schema'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useIsTeam } from '../api/me.ts'
import { awaySince, busAwaySince } from '../api/request.ts'
import { Strip } from '../design/strip.tsx'
import * as f from '../format.ts'
import { type Store, useStore } from '../store.ts'
import { words } from '../words.ts'
import { useNow } from './use-now.ts'

const EVERY_MS = 2_000

/** Reports an outage of the hub once for the whole page. */
export function AwayBanner() {
  const database = useStore(awaySince)
  const bus = useStore(busAwaySince)
  return (
    <>
      {database !== null && <Banner since={database} message={words.strips.databaseAway} />}
      {database === null && bus !== null && <Banner since={bus} message={words.strips.busAway} />}
    </>
  )
}

function Banner({ since, message }: { readonly since: number; readonly message: (age: string) => string }) {
  const now = useNow()
  return (
    <div className="shrink-0 border-b border-line bg-raised">
      <Strip glyph="stuck">
        {message(f.duration(Math.max(1, Math.floor((now - since) / 1_000)) * 1_000))}
      </Strip>
    </div>
  )
}

/** Polls the hub for outages and fetches everything again once its database is back. */
export function useHubParts(): void {
  const client = useQueryClient()
  const isTeam = useIsTeam() === true
  const isAway = useStore(awaySince) !== null
  useEffect(() => {
    if (!isTeam) return
    const timer = setInterval(() => void checkConnection().catch(() => undefined), EVERY_MS)
    return () => clearInterval(timer)
  }, [isTeam])
  useEffect(() => {
    if (!isAway) return
    return () => void client.invalidateQueries()
  }, [client, isAway])
}

async function checkConnection(): Promise<void> {
  // The request sends no cookie, because the hub could not look it up while its database is down.
  const answer = await fetch('/ready', { credentials: 'omit', signal: AbortSignal.timeout(2 * EVERY_MS) })
  const { away } = (await answer.json()) as { readonly away?: readonly HubPart[] }
  // A load balancer without a hub may answer instead; its response says nothing about the parts.
  if (away === undefined && !answer.ok) return
  setOutage(awaySince, away?.includes('database') ?? false)
  setOutage(busAwaySince, away?.includes('bus') ?? false)
}

const setOutage = (since: Store<number | null>, isAway: boolean): void =>
  since.update((before) => (isAway ? (before ?? Date.now()) : null))
