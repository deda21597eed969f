import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { toast } from '../design/toast.tsx'
import { pageTail } from '../stream/page-tail.ts'
import { words } from '../words.ts'
import { createNews } from './news.ts'
import { achievementsKey } from './queries.ts'

/** Says what was unlocked as it happens, whatever page is open. */
export function useUnlockNews(): void {
  const client = useQueryClient()
  const navigate = useNavigate()
  useEffect(() => {
    const news = createNews()
    return pageTail.listen({
      onUnlocked: (view, items) => {
        void client.invalidateQueries({ queryKey: [...achievementsKey, view] })
        const show = () =>
          void navigate({
            to: '/achievements',
            search: { sort: 'newest', ...(view === 'hermes' && { source: view }) },
          })
        for (const text of news(view, items))
          toast({ text, act: { label: words.achievements.news.show, run: show } })
      },
    })
  }, [client, navigate])
}
