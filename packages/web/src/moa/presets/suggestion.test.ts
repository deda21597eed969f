import { expect, it } from 'vitest'
import { presetsReply } from '../moa.test-kit.ts'
import { findUsableProviders, suggestedConfig } from './suggestion.ts'

const found = (id: string) => ({
  id,
  name: id,
  kind: 'provider' as const,
  state: 'found' as const,
  path: null,
  detail: '',
  next: null,
})

it('accepts providers that are configured, have a key or run locally', () => {
  const { providers } = presetsReply()
  const [any] = providers
  if (!any) throw new Error('there is no provider')
  const of = (name: string, change: Partial<typeof any>) => ({ ...any, name, has_key: false, ...change })
  const configured = of('configured', { from: 'config' })
  const others = [of('keyed', { from: 'environment', has_key: true }), of('neither', { from: 'local' })]
  expect(findUsableProviders([configured, ...others], [])).toEqual(['configured', 'keyed'])
  expect(findUsableProviders(providers, [])).toEqual(['claude'])
  expect(findUsableProviders(providers, [found('local')])).toEqual(['claude', 'local'])
})

it('suggests a preset of the found providers, or a provider if none was found', () => {
  expect(suggestedConfig(['anthropic'])).toContain(
    'aggregator: { provider: anthropic, model: claude-sonnet-4-6 }',
  )
  const both = suggestedConfig(['anthropic', 'ollama'])
  expect(both).toContain('- { provider: ollama, model: name-of-a-small-model }')
  expect(both).not.toContain('providers:')
  expect(suggestedConfig([])).toMatch(/^providers:\n {2}local: /)
})
