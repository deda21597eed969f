import { appendFileSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeSource } from '../battery/describe-source.ts'
import { startWriter } from '../battery/writer.ts'
import { claudeCodeSource } from './index.ts'

const WRITER = fileURLToPath(new URL('./writer.child.ts', import.meta.url))

const rowOf = (text: string): string =>
  `${JSON.stringify({ type: 'user', uuid: 'u', timestamp: '2026-09-01T10:00:00Z', message: { role: 'user', content: text } })}\n`

describeSource('claude-code', {
  open: (folder) => {
    const project = join(folder, '-home-dev-atlas')
    const fileOf = (id: string) => join(project, `${id}.jsonl`)
    const writers: (() => void)[] = []
    return {
      source: claudeCodeSource(folder),
      make: (sessions) => {
        mkdirSync(project, { recursive: true })
        for (const [id, texts] of sessions) writeFileSync(fileOf(id), texts.map(rowOf).join(''))
      },
      append: (id, text) => appendFileSync(fileOf(id), rowOf(text)),
      cut: (id) => truncateSync(fileOf(id), statSync(fileOf(id)).size - 20),
      garble: (id, after) => {
        const [start = '', end = ''] = rowOf('§').split('§')
        appendFileSync(
          fileOf(id),
          Buffer.concat([Buffer.from(start), Buffer.from([0xe9, 0xff, 0xc3]), Buffer.from(end)]),
        )
        appendFileSync(fileOf(id), rowOf(after))
      },
      remove: (id) => rmSync(fileOf(id)),
      write: async (id) => {
        const { stop, kill } = await startWriter(process.execPath, [WRITER, fileOf(id)])
        writers.push(kill)
        return async () => Number(await stop())
      },
      close: () => {
        for (const kill of writers) kill()
      },
    }
  },
})
