import { describe, expect, it } from 'vitest'
import { skillOfCall, skillOfCommand, skillOfPrompt } from './skills.ts'

describe('skill names', () => {
  it.each([
    ['Skill', { skill: 'release-notes', args: 'v2' }, 'release-notes'],
    ['Skill', { command: '/tools:pdf fill' }, 'tools:pdf'],
    ['Skill', '{"skill":"pdf"}', 'pdf'],
    ['Skill', { skill: 'with space' }, 'with space'],
    ['Skill', { skill: '/pdf fill' }, 'pdf'],
    ['Skill', { command: 'pdf fill' }, 'pdf'],
    ['skill', { name: 'pdf' }, 'pdf'],
    ['skill_view', { name: 'mlops/axolotl' }, 'mlops/axolotl'],
    ['skill_view', { name: 'axolotl', file_path: 'SKILL.md' }, 'axolotl'],
    ['skill_view', { name: 'axolotl', file_path: 'references/api.md' }, undefined],
    ['skill_manage', { action: 'edit', name: 'axolotl' }, undefined],
    ['skills_list', {}, undefined],
    ['Bash', { command: '/pdf' }, undefined],
    ['Skill', { skill: ' ' }, undefined],
    ['Skill', null, undefined],
    ['Skill', '{"skill', undefined],
  ])('parses %s with %j as the skill %j', (tool, input, expected) => {
    expect(skillOfCall(tool, input)).toBe(expected)
  })

  it.each([
    ['<command-name>/release-notes</command-name>\n<command-args>v2</command-args>', 'release-notes'],
    ['<command-message>pdf is running…</command-message>\n<command-name>/pdf</command-name>', 'pdf'],
    ['/pdf fill this', 'pdf'],
    ['/usr/bin is full', undefined],
    ['see /pdf', undefined],
    ['what does <command-name>/pdf</command-name> do?', undefined],
    ['', undefined],
  ])('parses the prompt %j as the command %j', (prompt, expected) => {
    expect(skillOfCommand(prompt)).toBe(expected)
  })

  it('come from the prompt into which Hermes loads the skill', () => {
    const loaded = (what: string) =>
      `[IMPORTANT: The user has invoked the "pdf" ${what}, indicating …]\n\n---`
    expect(skillOfPrompt(loaded('skill'))).toBe('pdf')
    expect(skillOfPrompt(loaded('skill bundle'))).toBeUndefined()
    expect(skillOfPrompt(`Why [IMPORTANT: The user has invoked the "pdf" skill?`)).toBeUndefined()
  })
})
