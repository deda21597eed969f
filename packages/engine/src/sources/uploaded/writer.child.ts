import { transcriptsIn } from '@panoptes/engine/store'
import { telling } from '../../store/transcripts/transcripts.test-kit.ts'
import { writeOn } from '../conformance/write-continuously.ts'

/** Uploads a session repeatedly, each time with one more number. */
const [, , url = '', schema = '', id = ''] = process.argv
const transcripts = transcriptsIn({ url, schema })
const texts = ['0']
await writeOn(async (n) => {
  texts.push(String(n))
  const written = await transcripts.write('mast', telling(id, texts, { fingerprint: `written ${n}` }))
  if (!written.ok) throw new Error(written.message)
})
process.exit()
