import { expect, it } from 'vitest'
import { groupByFolder } from './broken-files.ts'

const folder = '/home/dev/.panoptes/templates'

it('groups invalid template files by folder', () => {
  const broken = ['/home/dev/.hermes/session-templates/a.json', `${folder}/b.json`, `${folder}/c.json`].map(
    (file) => ({ file, reason: 'It is not JSON' }),
  )
  const told = groupByFolder(broken, { folder }).map(({ path, isOurs, files }) => [
    path,
    isOurs,
    files.map(({ name }) => name),
  ])
  expect(told).toEqual([
    ['/home/dev/.hermes/session-templates', false, ['a.json']],
    [folder, true, ['b.json', 'c.json']],
  ])
})

it('splits Windows paths, too', () => {
  const [only] = groupByFolder([{ file: 'C:\\Users\\dev\\x.json', reason: '' }], { folder })
  expect(only).toEqual({ path: 'C:\\Users\\dev', isOurs: false, files: [{ name: 'x.json', reason: '' }] })
})
