import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openSqliteStore } from '@panoptes/engine/store'
import { checkStream } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  asking,
  bareContext,
  collectEvents,
  saying,
  scriptedRuntime,
  textOf,
  value,
} from '../chat.test-kit.ts'
import { openChat } from '../open.ts'
import { recoverRuns } from './recover-runs.ts'

const CHILD = fileURLToPath(new URL('./crash.child.ts', import.meta.url))

describe('process killed while it answers', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'panoptes-killed-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('leaves the question, the marked partial answer, a readable stream and a usable conversation', async () => {
    const file = join(folder, 'ledger.db')
    const child = spawn(process.execPath, [CHILD, file, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const { id, run_id } = JSON.parse(line) as { readonly id: string; readonly run_id: string }
    child.kill('SIGKILL')
    await once(child, 'exit')

    const store = value(await openSqliteStore(file))
    const { conversations } = store
    expect(value(await recoverRuns(conversations))).toBe(1)
    const { adapter, asked } = scriptedRuntime('jarvis', saying('well'))
    const chat = openChat({
      conversations,
      adapters: [adapter],
      defaultRuntime: 'jarvis',
      build: bareContext,
      folder,
      budgetTokens: 32_000,
      approvalSeconds: 5,
    })
    try {
      const kept = value(await chat.get(id))
      expect(kept).toMatchObject({
        run_id: null,
        agent_state: { runtimes: { jarvis: { rev: 1, known: 'first' } } },
        messages: [
          { content: 'first' },
          { content: 'about first:', status: 'complete' },
          { content: 'second', status: 'complete' },
          { status: 'partial', error: { code: 'interrupted' } },
        ],
      })
      const partial = kept.messages[3]?.content ?? ''
      expect(partial).toMatch(/^about second: 0 1/)

      const whole = await collectEvents(await chat.stream(id))
      expect(whole.at(-1)).toMatchObject({
        event: 'error',
        data: { code: 'interrupted', partial_message_id: kept.messages[3]?.id },
      })
      expect(textOf(whole)).toBe(partial)
      const frames = whole.map(
        ({ event, data }) => `id: ${run_id}:${data.seq}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
      )
      expect(checkStream(frames.join(''))).toMatchObject({ problems: [] })
      const rest = await collectEvents(await chat.stream(id, `${run_id}:5`))
      expect(rest).toEqual(whole.slice(5))

      for (const beyond of [whole.length, whole.length + 1, whole.length + 500])
        expect(await collectEvents(await chat.stream(id, `${run_id}:${beyond}`))).toEqual(whole.slice(-1))

      expect(textOf(await collectEvents(await chat.chat(id, asking('third'))))).toBe('well')
      expect(asked[0]?.continuity).toMatchObject({ rev: 1, known: 'first' })
      expect(asked[0]?.handover.map(({ content }) => content)).toEqual(['second', partial])
      expect(value(await chat.get(id)).agent_state.runtimes).toMatchObject({ jarvis: { rev: 2 } })
    } finally {
      await chat.close()
      await store.close()
    }
  })
})
