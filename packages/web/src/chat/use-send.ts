import type { StoredChatMessage } from '@panoptes/schema'
import { useCallback, useEffect, useRef } from 'react'
import { showFailure } from '../shell/show-failure.ts'
import { conversationApi } from './api/conversation-api.ts'
import { draftFiles, toChatInput } from './chat-input.ts'
import { changeDraft, type Draft, EMPTY, getDraft } from './composer/drafts.ts'
import type { RuntimeChoice } from './head/pickers.tsx'
import { readList } from './queries.ts'
import type { ChatView } from './use-chat-view.ts'

export interface MessageActions {
  readonly send: (draft: Draft) => void
  /** Retries a message with the same runtime or another. */
  readonly retry: (message: StoredChatMessage, runtime: string | null) => void
  readonly edit: (message: StoredChatMessage) => void
}

/** A message that waits for its new conversation, with the chosen runtime. */
interface FirstMessage {
  readonly id: string
  readonly draft: Draft
  readonly who: RuntimeChoice
}

/** Sends messages; the first one creates the conversation. A rejected message stays available to send again. */
export function useSend(options: {
  readonly id: string | null
  readonly chosen: RuntimeChoice
  readonly view: ChatView
  readonly onMade: (id: string) => void
  readonly onEdit: () => void
}): MessageActions {
  const { id, chosen, view, onMade, onEdit } = options
  const first = useRef<FirstMessage | null>(null)
  const { send: tell } = view
  const { runtime, model } = chosen
  const say = useCallback(
    async (to: string, draft: Draft, who: RuntimeChoice) => {
      if (getDraft(to) === draft) changeDraft(to, EMPTY)
      const pending = {
        message: draft.text,
        files: draftFiles(draft),
        runtime: who.runtime,
        replaces: draft.replaces,
        ts: Date.now(),
      }
      try {
        await tell(toChatInput(draft, who), pending)
      } catch (error) {
        if (getDraft(to) === EMPTY) changeDraft(to, draft)
        showFailure(error)
      }
    },
    [tell],
  )
  useEffect(() => {
    const waiting = first.current
    if (waiting === null || waiting.id !== id) return
    first.current = null
    void say(id, waiting.draft, waiting.who)
  }, [id, say])
  const send = useCallback(
    (draft: Draft) => {
      if (id !== null) return void say(id, draft, { runtime, model })
      if (first.current !== null) return
      const who = { runtime, model }
      first.current = { id: '', draft, who }
      void conversationApi.create(runtime ?? undefined).then(
        async (made) => {
          first.current = { id: made.id, draft, who }
          changeDraft('', EMPTY)
          onMade(made.id)
          await readList()
        },
        (error: unknown) => {
          first.current = null
          showFailure(error)
        },
      )
    },
    [id, say, onMade, runtime, model],
  )
  const edit = useCallback(
    (message: StoredChatMessage) => {
      if (id === null) return
      changeDraft(id, replacementDraft(message))
      onEdit()
    },
    [id, onEdit],
  )
  const retry = useCallback(
    (message: StoredChatMessage, other: string | null) => {
      const who = other === null ? { runtime, model } : { runtime: other, model: null }
      if (id !== null) void say(id, replacementDraft(message), who)
    },
    [id, say, runtime, model],
  )
  return { send, edit, retry }
}

/** The server stores the files of a message, so they are sent again from there. */
const replacementDraft = ({ id, content, files }: StoredChatMessage): Draft => ({
  ...EMPTY,
  text: content,
  replaces: id,
  kept: files,
})
