import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkTemplateName, createDefaultName } from './names.ts'

describe('template name', () => {
  it.each([
    'good',
    'Größe 2',
    '日本語の設定',
    'отчёт',
    'a.b_c-d',
    '٣',
    'क्षेत्र',
    'COM',
    'console',
    'x '.trim(),
  ])('may be %s', (name) => {
    expect(checkTemplateName(name)).toEqual({ ok: true, value: name })
  })

  it.each([
    '',
    '.',
    '..',
    '../x',
    '../../etc/passwd',
    'a/b',
    'a\\b',
    '/abs',
    'C:x',
    '.hidden',
    ' x',
    'a\0b',
    'a\nb',
    'a\u202eb',
    'a%2fb',
    'x*',
    'x?',
    '"x"',
    '🎉',
    'CON',
    'nul.txt',
    'lpt1',
    'Aux ',
    'con .x',
    '--force',
    '-rf',
    'a ',
    'a.',
    'é'.repeat(61),
    'a'.repeat(121),
  ])('is rejected with an explanation, not changed, if it is %j', (name) => {
    const refused = checkTemplateName(name)
    expect(refused).toMatchObject({ ok: false, code: 'invalid' })
    expect(refused.ok || refused.message).toMatch(/cannot be the name of a template: .+\. Use letters/)
    expect(refused.ok || refused.message).not.toMatch(/\p{C}/u)
  })

  it('is the same in any Unicode normalization', () => {
    expect(checkTemplateName('Gro\u0308ße')).toEqual(checkTemplateName('Größe'))
  })

  it('can never escape its folder', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (given) => {
        const name = checkTemplateName(given)
        if (!name.ok) return
        expect(name.value).not.toMatch(/[\\/\0]|^\./)
        expect(Buffer.byteLength(name.value)).toBeLessThanOrEqual(120)
      }),
    )
  })

  it('defaults to the type, eight characters of the session id and the second', () => {
    expect(createDefaultName('code', '20260415_101500_ab12cd', 1_776_248_430_999)).toBe(
      'code_20260415_1776248430',
    )
    expect(createDefaultName('mixed', 'a', 0)).toBe('mixed_a_0')
  })

  it('has a safe default even if the session id is not safe', () => {
    expect(createDefaultName('file', '../../etc/passwd', 1_000)).toBe('file_..-..-et_1')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (id) => {
        expect(checkTemplateName(createDefaultName('research', id, 1_776_248_430_999))).toMatchObject({
          ok: true,
        })
      }),
    )
  })
})
