import type { Conversation, RuntimeHealth } from '@panoptes/schema'
import { useState } from 'react'
import { conversationApi } from './api/conversation-api.ts'
import type { Chosen } from './head/pickers.tsx'
import { readList, readOne } from './queries.ts'
import { usualOf } from './runtimes.ts'
import { act } from './say-failed.ts'

/** Who is to answer next in a conversation; what is chosen counts at once, and is kept with it. */
export function useChosen(
  conversation: Conversation | undefined,
  id: string | null,
  runtimes: readonly RuntimeHealth[],
): readonly [Chosen, (chosen: Chosen) => void] {
  const [picked, setPicked] = useState<{ readonly id: string | null; readonly chosen: Chosen } | null>(null)
  const kept = conversation?.runtime ?? null
  const usual: Chosen =
    kept === null
      ? { runtime: usualOf(runtimes)?.id ?? null, model: null }
      : { runtime: kept, model: conversation?.model ?? null }
  const choose = (chosen: Chosen) => {
    setPicked({ id, chosen })
    const { runtime, model } = chosen
    if (id === null || runtime === null) return
    void act(async () => {
      await conversationApi.change(id, { runtime, model })
      await Promise.all([readOne(id), readList()])
      setPicked((now) => (now?.chosen === chosen ? null : now))
    })
  }
  return [picked !== null && picked.id === id ? picked.chosen : usual, choose]
}
