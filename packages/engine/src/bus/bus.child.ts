import { openHub } from './bus.test-kit.ts'

/** A hub in a process of its own, which says when it writes. */
const [, , url = '', postgres = '', space = ''] = process.argv
const hub = await openHub({ url, postgres, space })
setInterval(() => process.stdout.write(`${JSON.stringify(hub.bus.health())}\n`), 50)
