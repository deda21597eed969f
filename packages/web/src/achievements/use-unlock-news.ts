import type { AchievementsView } from '@panoptes/schema'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { toast } from '../design/toast.tsx'
import { pageTail } from '../stream/page-tail.ts'
import { words } from '../words.ts'
import { createNews } from './news.ts'
import { achievementsKey } from './queries.ts'
import { readSearch } from './search.ts'

/** Says what was unlocked as it happens, whatever page is open. */
export function useUnlockNews(): void {
  const client = useQueryClient()
  const router = useRouter()
  useEffect(() => {
    const news = createNews()
    return pageTail.listen({
      onUnlocked: (view, items) => {
        const show = () =>
          void router.navigate({
            to: '/achievements',
            search: { sort: 'newest', ...(view === 'hermes' && { source: view }) },
          })
        const said = news(view, items, lookedAt(router.state.location))
        // Of every view: what one unlocked is counted in the other, too. The cards first, so that they say the same as the notice.
        void client.invalidateQueries({ queryKey: achievementsKey }).finally(() => {
          for (const text of said) toast({ text, act: { label: words.achievements.news.show, run: show } })
        })
      },
    })
  }, [client, router])
}

/** Whose cards are in sight. */
const lookedAt = ({
  pathname,
  search,
}: {
  readonly pathname: string
  readonly search: Record<string, unknown>
}): AchievementsView | null => (pathname === '/achievements' ? (readSearch(search).source ?? 'all') : null)
