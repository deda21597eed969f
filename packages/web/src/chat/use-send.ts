import type { StoredChatMessage } from '@panoptes/schema'
import { useCallback, useEffect, useRef } from 'react'
import { toast } from '../design/toast.tsx'
import { words } from '../words.ts'
import type { ChatInputOnWire } from './api/chat-stream.ts'
import { conversationApi } from './api/conversation-api.ts'
import { changeDraft, type Draft, draftOf, EMPTY } from './composer/drafts.ts'
import type { Chosen } from './head/pickers.tsx'
import { readList } from './queries.ts'
import { sayFailed } from './say-failed.ts'
import type { ChatView } from './use-chat-view.ts'

export interface Sending {
  readonly send: (draft: Draft) => void
  /** Asks the same again, of the same runtime or another. */
  readonly retry: (message: StoredChatMessage, runtime: string | null) => void
  readonly edit: (message: StoredChatMessage) => void
}

/** Says things in a conversation; a new one is made with the first message. What was not taken is there to be sent again. */
export function useSend(options: {
  readonly id: string | null
  readonly chosen: Chosen
  readonly view: ChatView
  readonly onMade: (id: string) => void
  readonly onEdit: () => void
}): Sending {
  const { id, chosen, view, onMade, onEdit } = options
  const first = useRef<{ readonly id: string; readonly draft: Draft } | null>(null)
  const { send: tell } = view
  const { runtime, model } = chosen
  const say = useCallback(
    async (to: string, draft: Draft, who: Chosen) => {
      changeDraft(to, EMPTY)
      const files = draft.files.map(({ input: _input, ...file }) => file)
      const pending = {
        message: draft.text,
        files,
        runtime: who.runtime,
        replaces: draft.replaces,
        ts: Date.now(),
      }
      try {
        await tell(inputOf(draft, who), pending)
      } catch (error) {
        if (draftOf(to) === EMPTY) changeDraft(to, draft)
        sayFailed(error)
      }
    },
    [tell],
  )
  useEffect(() => {
    const waiting = first.current
    if (waiting === null || waiting.id !== id) return
    first.current = null
    void say(id, waiting.draft, { runtime, model })
  }, [id, say, runtime, model])
  const send = useCallback(
    (draft: Draft) => {
      if (id !== null) return void say(id, draft, { runtime, model })
      if (first.current !== null) return
      first.current = { id: '', draft }
      void conversationApi.create(runtime ?? undefined).then(
        async (made) => {
          first.current = { id: made.id, draft }
          changeDraft('', EMPTY)
          onMade(made.id)
          await readList()
        },
        (error: unknown) => {
          first.current = null
          sayFailed(error)
        },
      )
    },
    [id, say, onMade, runtime, model],
  )
  const edit = useCallback(
    (message: StoredChatMessage) => {
      if (id === null) return
      changeDraft(id, { ...EMPTY, text: message.content, replaces: message.id })
      if (message.files.length > 0) toast({ text: words.chat.thread.filesAgain, tone: 'failed' })
      onEdit()
    },
    [id, onEdit],
  )
  const retry = useCallback(
    (message: StoredChatMessage, other: string | null) => {
      // The server keeps what was sent of files, not the files.
      if (message.files.length > 0) return edit(message)
      const who = other === null ? { runtime, model } : { runtime: other, model: null }
      if (id !== null) void say(id, { ...EMPTY, text: message.content, replaces: message.id }, who)
    },
    [id, edit, say, runtime, model],
  )
  return { send, edit, retry }
}

const inputOf = (draft: Draft, { runtime, model }: Chosen): ChatInputOnWire => ({
  message: draft.text,
  ...(runtime === null ? {} : { runtime }),
  ...(model === null ? {} : { model }),
  ...(draft.template === null ? {} : { template: draft.template }),
  ...(draft.replaces === null ? {} : { replaces: draft.replaces }),
  ...(draft.files.length === 0
    ? {}
    : { files: draft.files.map(({ name, media_type, input }) => ({ name, media_type, ...input })) }),
})
