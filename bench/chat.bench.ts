import { mkdtempSync, rmSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ScriptedAgent, startScriptedAgent } from '@panoptes/engine/testing/scripted-agent'
import { firstPart } from './chat-first-token.ts'
import { type Chats, type Models, startChats, startModels } from './chat-processes.ts'
import { stopsPart } from './chat-stops.ts'
import { streamsPart } from './chat-streams.ts'
import { options, publish, type Report, type Row, readLoad, requestedParts } from './report.ts'
import { round } from './statistics.ts'

export interface Stage {
  readonly chats: Chats
  readonly models: Models
  readonly agent: ScriptedAgent
  readonly messages: number
  readonly quick: boolean
}

const PARTS = { first: firstPart, streams: streamsPart, stops: stopsPart }

/** Runs all parts, or those named on the command line. */
const names = requestedParts(PARTS)
const { quick } = options()
const messages = quick ? 100 : 2_000
const folder = mkdtempSync(join(tmpdir(), 'panoptes-bench-chat-'))
const models = await startModels()
const agent = await startScriptedAgent()
const chats = await startChats(folder, models.address, agent, { quick, messages })
const reports: Pick<Report, 'tables' | 'promises'>[] = []
const times: Row[] = []
try {
  for (const name of names) {
    const before = readLoad()
    const began = performance.now()
    reports.push(await PARTS[name]({ chats, models, agent, messages, quick }))
    const seconds = round((performance.now() - began) / 1_000)
    times.push({
      part: name,
      seconds,
      'load before': before,
      after: readLoad(),
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
