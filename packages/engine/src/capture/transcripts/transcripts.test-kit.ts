import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '@panoptes/schema'
import { unwrap } from '../../result.test-kit.ts'
import { type Bench, openBench } from '../capture.test-kit.ts'
import type { Intake } from '../intake.ts'
import { createTranscripts, type Transcripts } from './transcripts.ts'

/** Provides a folder of transcripts that a test writes, and a store that follows it. */
export interface Desk {
  readonly bench: Bench
  readonly project: string
  readonly follow: (intake?: Intake) => Transcripts
  /** Appends rows to a session's transcript, or to that of one of its agents. */
  readonly write: (session: string, rows: readonly object[], agent?: string) => string
  readonly agents: (session: string) => Promise<Readonly<Record<string, Agent>>>
  readonly kinds: () => Promise<Readonly<Record<string, number>>>
  readonly end: () => Promise<void>
}

export async function openDesk(): Promise<Desk> {
  const bench = await openBench()
  const project = join(bench.folder, 'projects', '-home-dev-notes')
  mkdirSync(project, { recursive: true })
  const running: Transcripts[] = []
  const follow: Desk['follow'] = (intake = bench.intake()) => {
    const { store } = bench
    const folder = join(bench.folder, 'projects')
    const transcripts = createTranscripts({ folder, intake, store })
    running.push(transcripts)
    return transcripts
  }
  return {
    bench,
    project,
    follow,
    write: (session, rows, agent) => {
      const folder = join(project, session, 'subagents')
      const path =
        agent === undefined ? join(project, `${session}.jsonl`) : join(folder, `agent-${agent}.jsonl`)
      if (agent !== undefined) {
        mkdirSync(folder, { recursive: true })
        const meta = { agentType: 'Explore', toolUseId: `made-${agent}`, spawnDepth: 1 }
        writeFileSync(join(folder, `agent-${agent}.meta.json`), JSON.stringify(meta))
      }
      appendFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
      return path
    },
    agents: async (session) => {
      const found = unwrap(await bench.store.agents({ session, limit: 100 })).value
      return Object.fromEntries(found.map((agent) => [agent.id, agent]))
    },
    kinds: async () => {
      const counts: Record<string, number> = {}
      for (const { event } of await bench.events()) counts[event] = (counts[event] ?? 0) + 1
      return counts
    },
    end: async () => {
      for (const transcripts of running) await transcripts.stop()
      await bench.end()
    },
  }
}

let count = 0
const envelope = (type: string, ts: number) => {
  count += 1
  return { type, uuid: `u${count}`, timestamp: new Date(ts).toISOString(), cwd: '/home/dev/notes' }
}

/** Builds a prompt row in the form in which the client writes it. */
export const prompt = (text: string, ts = Date.now()) => ({
  ...envelope('user', ts),
  promptId: `prompt-${count}`,
  message: { role: 'user', content: text },
})

export const reply = (content: readonly object[], stop: string | null = 'end_turn', ts = Date.now()) => ({
  ...envelope('assistant', ts),
  message: {
    id: `msg-${count}`,
    model: 'claude-opus-4-8',
    role: 'assistant',
    content,
    stop_reason: stop,
    usage: { input_tokens: 10, output_tokens: 5 },
  },
})

export const says = (text: string) => ({ type: 'text', text })
export const calls = (id: string, name = 'Bash', input: object = { command: 'ls' }) => ({
  type: 'tool_use',
  id,
  name,
  input,
})

export const result = (id: string, more: object = {}, ts = Date.now()) => ({
  ...envelope('user', ts),
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'fine', ...more }] },
})
