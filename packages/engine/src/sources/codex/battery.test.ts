import { appendFileSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeSource } from '../battery/describe-source.ts'
import { startWriter } from '../battery/writer.ts'
import { lineOf, meta, pathOf, said } from './codex.test-kit.ts'
import { codexSource } from './index.ts'

const WRITER = fileURLToPath(new URL('./writer.child.ts', import.meta.url))
const prompt = (text: string): string => lineOf(said('user', text))

describeSource('codex', {
  open: (home) => {
    const fileOf = (id: string) => pathOf(home, id)
    const writers: (() => void)[] = []
    return {
      source: codexSource(home),
      make: (sessions) => {
        mkdirSync(dirname(fileOf('any')), { recursive: true })
        for (const [id, texts] of sessions)
          writeFileSync(fileOf(id), [lineOf(meta(id)), ...texts.map(prompt)].join(''))
      },
      append: (id, text) => appendFileSync(fileOf(id), prompt(text)),
      cut: (id) => truncateSync(fileOf(id), statSync(fileOf(id)).size - 20),
      garble: (id, after) => {
        const [start = '', end = ''] = prompt('§').split('§')
        appendFileSync(
          fileOf(id),
          Buffer.concat([Buffer.from(start), Buffer.from([0xe9, 0xff, 0xc3]), Buffer.from(end)]),
        )
        appendFileSync(fileOf(id), prompt(after))
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
