import type { KeptConversation } from '@panoptes/engine/ledger'
import { type ChatInput, type Result, type RuntimeId, runtimeNamed } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { type BegunRun, beginRun, type RunOptions } from './begin.ts'
import type { Chat, Streamed, Whose } from './chat.ts'
import type { AskModel } from './context/given.ts'
import { summaryKeeper } from './context/summary/keep.ts'
import { factsOf } from './facts.ts'
import { newHead, noConversation, shown } from './opening.ts'
import { pastStream } from './past-stream.ts'
import { healthOf } from './run/health.ts'
import type { LiveRun } from './run/live-run.ts'
import { answerElsewhere, stopElsewhere } from './run/wishes.ts'
import type { RuntimeAdapter } from './runtimes/port.ts'
import { foundRuntime } from './usual.ts'

export interface ChatOptions extends RunOptions {
  readonly adapters: readonly RuntimeAdapter[]
  /** Who answers where nobody is named, ready or not; null takes the first that is ready. */
  readonly defaultRuntime: RuntimeId | null
  /** Sums up what was said, after a run; null or left out where no model is configured. */
  readonly ask?: AskModel | null | undefined
}

const nobody = failure(
  'invalid',
  'Nobody can answer yet. Start Ollama or LM Studio, or name a runtime in config.yaml and start Panoptes again; "panoptes doctor" says what is missing.',
)

export function openChat(options: ChatOptions): Chat {
  const { conversations, adapters, budgetTokens } = options
  const summaries = summaryKeeper({ conversations, ask: options.ask ?? null, budgetTokens })
  const active = new Map<string, BegunRun>()
  /** Runs whose beginning is being stored. */
  const beginning = new Map<string, Promise<unknown>>()
  let isClosed = false
  const byId = new Map(adapters.map((adapter) => [adapter.id, adapter]))
  const found = async (id: string) => {
    const kept = await conversations.get(id)
    if (!kept.ok) return kept
    return kept.value === null ? noConversation(id) : success(kept.value)
  }
  const usual = foundRuntime(adapters)
  const named = (name: string): Result<RuntimeAdapter> => {
    const adapter = byId.get(runtimeNamed(name))
    if (adapter) return success(adapter)
    const names = adapters.map((one) => one.id).join(', ')
    return failure('invalid', `There is no runtime ${name}. There are: ${names}.`)
  }
  const chosen = async (wanted: string | undefined, conversation: KeptConversation) => {
    const id = wanted ?? conversation.runtime ?? options.defaultRuntime ?? (await usual.get())
    return id === null ? nobody : named(id)
  }
  const begin = async (id: string, input: ChatInput) => {
    const begun = await beginRun(options, chosen, id, input)
    if (!begun.ok) return begun
    active.set(id, begun.value)
    void begun.value.over.then(() => {
      active.delete(id)
      summaries.after(id)
    })
    return success(streamed(begun.value.run, 0))
  }
  return {
    create: async ({ title = '', runtime, ...whose }) => {
      const wanted = runtime === undefined ? null : named(runtime)
      if (wanted?.ok === false) return wanted
      const head = newHead(title, wanted?.value.id ?? null, ofWhom(whose))
      const made = await conversations.create(head)
      return made.ok ? success(head) : made
    },
    get: async (id) => {
      const kept = await found(id)
      return kept.ok ? success(shown(kept.value)) : kept
    },
    head: async (id) => {
      const kept = await conversations.head(id)
      if (!kept.ok) return kept
      return kept.value === null ? noConversation(id) : success(kept.value)
    },
    list: conversations.list,
    change: async (id, { runtime, ...change }) => {
      if (runtime === undefined) return conversations.change(id, change)
      const wanted = named(runtime)
      return wanted.ok ? conversations.change(id, { ...change, runtime: wanted.value.id }) : wanted
    },
    fork: async (id, message, whose = {}) => {
      const kept = await found(id)
      if (!kept.ok) return kept
      const { title, runtime, model, messages } = kept.value
      const head = newHead(title, runtime, {
        model,
        messages_count: messages.findIndex((one) => one.id === message) + 1,
        forked_from: { id, message_id: message },
        ...ofWhom(whose),
      })
      const made = await conversations.fork(id, message, head)
      return made.ok ? success(head) : made
    },
    chat: async (id, input) => {
      if (isClosed) return failure('closed', 'Panoptes is ending.')
      if (beginning.has(id) || active.has(id))
        return failure(
          'busy',
          'Another message of this conversation is being answered. Wait for it, or stop it.',
        )
      const begun = begin(id, input)
      beginning.set(id, begun)
      try {
        return await begun
      } finally {
        beginning.delete(id)
      }
    },
    cancel: async (id) => {
      await beginning.get(id)?.catch(() => {})
      const running = active.get(id)
      if (running === undefined) return stopElsewhere(conversations, id)
      running.stop.abort()
      await running.over
      return success(null)
    },
    stream: async (id, lastEventId) => {
      await beginning.get(id)?.catch(() => {})
      const running = active.get(id)
      const [wanted, seq] = placeOf(lastEventId)
      if (running && (wanted === null || wanted === running.run.identity.run_id))
        return success(streamed(running.run, seq))
      const kept = await found(id)
      return kept.ok ? pastStream(conversations, kept.value, wanted, seq) : kept
    },
    answer: async (id, request, choice) =>
      active.get(id)?.answer(request, choice) ?? answerElsewhere(conversations, id, { request, choice }),
    context: async (id, message) => {
      const sent = await conversations.sent(id, message)
      if (!sent.ok) return sent
      return sent.value
        ? success(sent.value.context)
        : failure('not_found', 'Nothing is known of what was sent with this message.')
    },
    runtimes: async (signal) => {
      const asked = adapters.map(async (adapter) => ({
        id: adapter.id,
        title: adapter.title,
        ...(await healthOf(adapter, signal)),
      }))
      const healths = await Promise.all(asked)
      const usually = options.defaultRuntime ?? usual.seen(healths)
      return healths.map((health) => ({ ...health, is_default: health.id === usually }))
    },
    ...factsOf(conversations),
    close: async () => {
      isClosed = true
      await Promise.allSettled(beginning.values())
      for (const { stop } of active.values()) stop.abort()
      await Promise.all([...active.values()].map(({ over }) => over))
      await Promise.all([...adapters.map((adapter) => adapter.close()), summaries.close()])
    },
  }
}

const ofWhom = ({ owner, ownerName }: Whose) => ({
  ...(owner != null && { owner }),
  ...(owner != null && ownerName !== undefined && { owner_name: ownerName }),
})

/** `run-…:17`. */
function placeOf(lastEventId: string | undefined): readonly [string | null, number] {
  const cut = lastEventId?.lastIndexOf(':') ?? -1
  const seq = Number(lastEventId?.slice(cut + 1))
  return cut < 1 || !Number.isSafeInteger(seq) ? [null, 0] : [lastEventId?.slice(0, cut) ?? null, seq]
}

const streamed = (run: LiveRun, seq: number): Streamed => ({
  run_id: run.identity.run_id,
  events: (signal) => run.after(seq, signal),
})
