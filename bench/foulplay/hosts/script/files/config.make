# What packagers set.
VERSION = 1.4.0
PREFIX ?= /usr/local
