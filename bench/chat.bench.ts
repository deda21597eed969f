import { mkdtempSync, rmSync } from 'node:fs'
import { getPriority, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ScriptedAgent, startScriptedAgent } from '@panoptes/engine/testing/scripted-agent'
import { firstPart } from './chat-first-token.ts'
import { type Chats, type Models, startChats, startModels } from './chat-processes.ts'
import { stopsPart } from './chat-stops.ts'
import { streamsPart } from './chat-streams.ts'
import { options, publish, type Report, type Row } from './report.ts'
import { round } from './statistics.ts'

export interface Stage {
  readonly chats: Chats
  readonly models: Models
  readonly agent: ScriptedAgent
  readonly messages: number
  readonly quick: boolean
}

const PARTS = { first: firstPart, streams: streamsPart, stops: stopsPart }
type Name = keyof typeof PARTS

/** Runs all parts, or those named on the command line. */
const all = Object.keys(PARTS) as Name[]
const asked = all.filter((name) => process.argv.slice(2).includes(name))
const { quick } = options()
const messages = quick ? 100 : 2_000
const folder = mkdtempSync(join(tmpdir(), 'panoptes-bench-chat-'))
const models = await startModels()
const agent = await startScriptedAgent()
const chats = await startChats(folder, models.address, agent, { quick, messages })
const reports: Pick<Report, 'tables' | 'promises'>[] = []
const times: Row[] = []
const load = (): number => round(loadavg()[0] ?? Number.NaN)
try {
  for (const name of asked.length > 0 ? asked : all) {
    const before = load()
    const began = performance.now()
    reports.push(await PARTS[name]({ chats, models, agent, messages, quick }))
    const seconds = round((performance.now() - began) / 1_000)
    times.push({
      part: name,
      seconds,
      'load before': before,
      after: load(),
      'our priority (nice)': getPriority(),
    })
  }
} finally {
  await chats.stop()
  await agent.close()
  await models.stop()
  rmSync(folder, { recursive: true, force: true })
}
publish({
  name: 'chat',
  tables: [
    ...reports.flatMap(({ tables }) => tables),
    { title: 'How busy the machine was, with all that ran on it', rows: times },
  ],
  promises: reports.flatMap(({ promises }) => promises),
})
