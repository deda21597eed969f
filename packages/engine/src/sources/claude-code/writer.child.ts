import { appendFileSync } from 'node:fs'

/** Appends numbered rows to a transcript, each in two parts as a slow disk would show it, until its input ends. */
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
  const row = JSON.stringify({
    type: 'user',
    uuid: `u${written}`,
    timestamp: new Date().toISOString(),
    message: { role: 'user', content: String(written) },
  })
  appendFileSync(path, row.slice(0, 40))
  await new Promise((done) => setTimeout(done, 2))
  appendFileSync(path, `${row.slice(40)}\n`)
  await new Promise((done) => setTimeout(done, 2))
}
console.log(written)
