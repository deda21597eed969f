import { appendFileSync } from 'node:fs'

/** Appends numbered prompts to a rollout, each in two parts as a slow disk would show it, until its input ends. */
const [, , path = ''] = process.argv
let written = 0
let over = false
process.stdin.on('end', () => {
  over = true
})
process.stdin.resume()
console.log('ready')
while (!over) {
  written += 1
  const line = JSON.stringify({
    timestamp: new Date().toISOString(),
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: String(written) }] },
  })
  appendFileSync(path, line.slice(0, 40))
  await new Promise((done) => setTimeout(done, 2))
  appendFileSync(path, `${line.slice(40)}\n`)
  await new Promise((done) => setTimeout(done, 2))
}
console.log(written)
