import { transcriptsIn } from '@panoptes/engine/ledger'
import { telling } from '../../ledger/transcripts/transcripts.test-kit.ts'
import { writeOn } from '../battery/writing.ts'

/** Tells a session again and again, each time with a number more. */
const [, , url = '', schema = '', id = ''] = process.argv
const transcripts = transcriptsIn({ url, schema })
const texts = ['0']
await writeOn(async (n) => {
  texts.push(String(n))
  const told = await transcripts.write('other', telling(id, texts, { fingerprint: `of the other ${n}` }))
  if (!told.ok) throw new Error(told.message)
})
process.exit()
