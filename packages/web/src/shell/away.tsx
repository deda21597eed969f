import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { awaySince, getJson } from '../api/request.ts'
import { Strip } from '../design/strip.tsx'
import * as f from '../format.ts'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import { useNow } from './use-now.ts'

const AGAIN_MS = 3_000

/** That the database of the hub does not answer, once for the whole page. */
export function AwayBanner() {
  const since = useStore(awaySince)
  return since === null ? null : <Banner since={since} />
}

function Banner({ since }: { readonly since: number }) {
  const now = useNow()
  return (
    <div className="shrink-0 border-b border-line bg-raised">
      <Strip glyph="stuck">
        {words.strips.databaseAway(f.duration(Math.max(1, Math.floor((now - since) / 1_000)) * 1_000))}
      </Strip>
    </div>
  )
}

/** While it is away it is asked for again and again; once it is back everything is read anew. */
export function useDatabaseReturns(): void {
  const client = useQueryClient()
  const isAway = useStore(awaySince) !== null
  useEffect(() => {
    if (!isAway) return
    const timer = setInterval(() => void getJson('/api/me').catch(() => undefined), AGAIN_MS)
    return () => {
      clearInterval(timer)
      void client.invalidateQueries()
    }
  }, [client, isAway])
}
