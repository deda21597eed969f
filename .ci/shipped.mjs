// Writes to a folder the manifests and the lock file of what is published, and of nothing else. npm itself cannot tell: the command is a
// bundle, so what it is made of stands among its devDependencies, and npm leaves out whatever a development tool needs as well.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const BUNDLE = 'packages/cli'
const to = process.argv[2]

const read = (file) => JSON.parse(readFileSync(file, 'utf8'))
function write(file, value) {
  mkdirSync(dirname(join(to, file)), { recursive: true })
  writeFileSync(join(to, file), JSON.stringify(value, null, 2))
}

function shipped(folder, { dev: _, devDependencies = {}, ...rest }) {
  return folder === BUNDLE ? { ...rest, dependencies: { ...rest.dependencies, ...devDependencies } } : rest
}

const lock = read('package-lock.json')
const isOwn = (folder) => folder === '' || !folder.includes('node_modules')
const packages = Object.fromEntries(
  Object.entries(lock.packages).map(([folder, about]) => {
    const { dev: _, ...rest } = about
    return [folder, isOwn(folder) ? shipped(folder, about) : rest]
  }),
)

/** Where Node would find a package that is asked for in a folder. */
function find(folder, name) {
  for (let at = folder; at !== ''; ) {
    const found = `${at}/node_modules/${name}`
    if (packages[found]) return found
    const parent = at.lastIndexOf('/node_modules/')
    at = parent < 0 ? '' : at.slice(0, parent)
  }
  return packages[`node_modules/${name}`] ? `node_modules/${name}` : undefined
}

const reached = new Set([''])
function visit(folder) {
  if (folder === undefined || reached.has(folder)) return
  reached.add(folder)
  const { link, resolved, dependencies, optionalDependencies, peerDependencies } = packages[folder]
  if (link) return visit(resolved)
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
    visit(find(folder, name))
}
for (const [folder, { link }] of Object.entries(packages)) if (link) visit(folder)

rmSync(to, { recursive: true, force: true })
for (const folder of reached)
  if (isOwn(folder)) write(join(folder, 'package.json'), shipped(folder, read(join(folder, 'package.json'))))
write('package-lock.json', {
  ...lock,
  packages: Object.fromEntries(Object.entries(packages).filter(([folder]) => reached.has(folder))),
})
