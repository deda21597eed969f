import type { AchievementsView } from '@panoptes/schema'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { toast } from '../design/toast.tsx'
import { pageTail } from '../stream/page-tail.ts'
import { words } from '../words.ts'
import { createNews } from './news.ts'
import { achievementsKey } from './queries.ts'
import { readSearch } from './search-params.ts'

/** Announces new unlocks on every page. */
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
        const messages = news(view, items, visibleView(router.state.location))
        // Both views are refetched because an unlock in one counts in the other. The cards come first so that they match the notice.
        void client.invalidateQueries({ queryKey: achievementsKey }).finally(() => {
          for (const text of messages)
            toast({ text, act: { label: words.achievements.news.show, run: show } })
        })
      },
    })
  }, [client, router])
}

/** The view whose cards are shown. */
const visibleView = ({
  pathname,
  search,
}: {
  readonly pathname: string
  readonly search: Record<string, unknown>
}): AchievementsView | null => (pathname === '/achievements' ? (readSearch(search).source ?? 'all') : null)
