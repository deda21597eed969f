import { appendSlowly, writeOn } from '../conformance/write-continuously.ts'

const [, , path = ''] = process.argv
await writeOn((n) => {
  const message = { role: 'user', content: String(n) }
  const row = { type: 'user', uuid: `u${n}`, timestamp: new Date().toISOString(), message }
  return appendSlowly(path, `${JSON.stringify(row)}\n`)
})
