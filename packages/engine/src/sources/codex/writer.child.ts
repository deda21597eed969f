import { appendSlowly, writeOn } from '../conformance/write-continuously.ts'

const [, , path = ''] = process.argv
await writeOn((n) => {
  const payload = { type: 'message', role: 'user', content: [{ type: 'input_text', text: String(n) }] }
  const line = { timestamp: new Date().toISOString(), type: 'response_item', payload }
  return appendSlowly(path, `${JSON.stringify(line)}\n`)
})
