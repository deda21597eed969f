import { openHub } from './bus.test-kit.ts'

/** Runs a hub in its own process and reports when it becomes the writer. */
const [, , url = '', postgres = '', space = ''] = process.argv
const hub = await openHub({ url, postgres, space })
setInterval(() => process.stdout.write(`${JSON.stringify(hub.bus.health())}\n`), 50)
