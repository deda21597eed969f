import type { ChatEvent, ChatInput, ProgressEvent, TaskGraph } from '@panoptes/schema'
import { expect } from 'vitest'
import type { Chat } from '../../chat.ts'
import {
  type ConformanceEnvironment,
  chatInput,
  openConformanceEnvironment,
  plainContext,
  type ReadRun,
  readAll,
  value,
} from '../conformance-environment.ts'
import type { JarvisOptions } from './jarvis.ts'
import { type ModelReply, type ScriptedModel, startScriptedModel } from './scripted-model.test-kit.ts'
import { jarvisOn } from './simulated-jarvis.test-kit.ts'

/** The time limit of an abort (200 ms), plus the delay of a busy machine. */
export const SOON_MS = 5_000

export interface JarvisLab {
  readonly model: ScriptedModel
  /** Sets the model's replies, in order; the last one repeats. */
  readonly plays: (...replies: readonly ModelReply[]) => void
  /** Opens a chat with Jarvis on the same event store each time. */
  readonly open: (more?: Partial<JarvisOptions>, plan?: TaskGraph) => Chat
  readonly close: () => Promise<void>
}

/** Jarvis on a scripted model and a real event store. */
export async function openJarvisLab(): Promise<JarvisLab> {
  const model = await startScriptedModel()
  const environment: ConformanceEnvironment = await openConformanceEnvironment()
  const opened: Chat[] = []
  return {
    model,
    plays: (...replies) => {
      let at = 0
      model.answer(() => {
        const reply = replies[Math.min(at, replies.length - 1)]
        at += 1
        return reply ?? {}
      })
    },
    open: (more, plan) => {
      const chat = environment.open([jarvisOn(model.url, more)], {
        build: async (input) => {
          const built = await plainContext(input)
          return plan ? { ...built, plan } : built
        },
      })
      opened.push(chat)
      return chat
    },
    close: async () => {
      await Promise.all(opened.map((chat) => chat.close()))
      await model.close()
      await environment.close()
    },
  }
}

export interface Asking extends Partial<ChatInput> {
  readonly id?: string
  readonly onEvent?: (event: ChatEvent) => void
  /** The choice the user makes for every approval request. */
  readonly choice?: string
}

/**
 * Sends a message and reads the answer as a page does, checking that the stream keeps its contract.
 */
export async function ask(
  chat: Chat,
  message: string,
  { id: known, onEvent, choice, ...more }: Asking = {},
): Promise<ReadRun & { readonly id: string }> {
  const id = known ?? value(await chat.create({})).id
  const run = await readAll(value(await chat.chat(id, chatInput(message, more))), (event) => {
    onEvent?.(event)
    if (choice === undefined || event.event !== 'progress') return
    const { kind, status, request_id = '' } = event.data
    if (kind === 'approval' && status === 'started') void chat.answer(id, request_id, choice)
  })
  expect(run.check.problems).toEqual([])
  return { ...run, id }
}

export const progressIn = (events: readonly ChatEvent[], kind: string): readonly ProgressEvent[] =>
  events.flatMap((event) => (event.event === 'progress' && event.data.kind === kind ? [event.data] : []))

export const endOf = (events: readonly ChatEvent[]): ChatEvent['data'] | undefined => events.at(-1)?.data
