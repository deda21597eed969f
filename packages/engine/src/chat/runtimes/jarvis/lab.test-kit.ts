import type { ChatEvent, ChatInput, ProgressEvent, TaskGraph } from '@panoptes/schema'
import { expect } from 'vitest'
import type { Chat } from '../../chat.ts'
import {
  type BatteryRoom,
  openBatteryRoom,
  plainContext,
  type ReadRun,
  readAll,
  said,
  value,
} from '../battery-room.ts'
import type { JarvisOptions } from './jarvis.ts'
import { jarvisOn } from './played-jarvis.test-kit.ts'
import { type ModelReply, type ScriptedModel, startScriptedModel } from './scripted-model.test-kit.ts'

/** What an abort may take (200 ms), with what a busy machine adds. */
export const SOON_MS = 5_000

export interface JarvisLab {
  readonly model: ScriptedModel
  /** What the model replies, one after the other; the last one stays. */
  readonly plays: (...replies: readonly ModelReply[]) => void
  /** A chat with Jarvis, on the same ledger each time. */
  readonly open: (more?: Partial<JarvisOptions>, plan?: TaskGraph) => Chat
  readonly close: () => Promise<void>
}

/** Jarvis on a scripted model and a real ledger. */
export async function openJarvisLab(): Promise<JarvisLab> {
  const model = await startScriptedModel()
  const room: BatteryRoom = await openBatteryRoom()
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
      const chat = room.open([jarvisOn(model.url, more)], {
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
      await room.close()
    },
  }
}

export interface Asking extends Partial<ChatInput> {
  readonly id?: string
  readonly onEvent?: (event: ChatEvent) => void
  /** What a person chooses, whatever is asked. */
  readonly choice?: string
}

/** Asks, and reads the answer as a page does; whatever happens, the stream keeps to the contract. */
export async function ask(
  chat: Chat,
  message: string,
  { id: known, onEvent, choice, ...more }: Asking = {},
): Promise<ReadRun & { readonly id: string }> {
  const id = known ?? value(await chat.create({})).id
  const run = await readAll(value(await chat.chat(id, said(message, more))), (event) => {
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
